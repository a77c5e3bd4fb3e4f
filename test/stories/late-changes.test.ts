import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { answerCost } from '../../src/app/cost/cost.ts';
import { archiveSessions } from '../../src/app/maintain.ts';
import { type App, openApp } from '../../src/app/open-app.ts';
import { databasePath, loadConfig } from '../../src/config.ts';
import type { CostGroup } from '../../src/domain/cost.ts';
import { storeSessionGit } from '../../src/store/queries/git/git-activity.ts';
import { readCost } from '../../src/store/queries/usage/read-cost.ts';
import { createClaudeHome, createTalk, text } from '../support/claude-home.ts';
import { fixedClock, NOW, PROGRAMS, type Program, silentLog } from '../support/programs.ts';

const OPUS = '11111111-1111-4111-8111-111111111111';
const SONNET = '22222222-1111-4111-8111-111111111111';
const FACTS = { book_date: '', sources: [], user_file: null };
const ALL = { timezone: 'UTC', since: null, until: null } as const;

function linesOf(id: string, model: string): readonly object[] {
  const talk = createTalk(id, { prefix: id.slice(0, 4) });
  return [
    talk.user('Mend the till.'),
    talk.assistant(`msg_${id}`, text('Mended.'), { input: 1_000, output: 100 }, model),
    { type: 'pr-link', prNumber: 7, prUrl: 'https://example.test/7', prRepository: 'ada/shop', sessionId: id },
  ];
}

const sessionOf = ({ store }: App, id: string) =>
  store.engine.kysely.selectFrom('sessions').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

async function costBy({ store }: App, by: CostGroup) {
  const { rows, total } = await readCost(store.engine.kysely, { by, ...ALL }, FACTS, NOW);
  return { keys: rows.map(({ key }) => key), nanos: total.cost_nanos };
}

function writePrices({ config }: Program, usdPerMillion: object | null): void {
  const path = join(config.home, 'prices.json');
  if (usdPerMillion === null) return rmSync(path);
  writeFileSync(path, JSON.stringify({ prices: [{ models: ['claude-opus-4-6'], usdPerMillion }] }));
}

describe.each(PROGRAMS)('changes after a session was processed, on $name', ({ create }) => {
  it('prices: sessions with changed prices are repriced to the nano-dollar, and nothing else changes', async () => {
    using home = createClaudeHome();
    await using program = await create(home.path);
    await using app = await program.open();
    home.write(`-w/${OPUS}.jsonl`, linesOf(OPUS, 'claude-opus-4-6'));
    home.write(`-w/${SONNET}.jsonl`, linesOf(SONNET, 'claude-sonnet-4-5'));
    await app.importNew();
    const opus = await sessionOf(app, OPUS);
    const sonnet = await sessionOf(app, SONNET);
    expect(opus.cost_nanos).toBe(1_000 * 5_000 + 100 * 25_000 + 100 * 500 + 10 * 6_250);

    writePrices(program, { input: 1.001, output: 2, cacheRead: 3, cacheWrite5m: 4, cacheWrite1h: 5 });
    const { total } = await answerCost(
      { by: 'day', ...ALL },
      {
        config: program.config,
        clock: fixedClock,
        importNew: async () => (await app.importNew({ rowsOnly: true })).failed.length === 0,
      },
    );
    const dearer = 1_000 * 1_001 + 100 * 2_000 + 100 * 3_000 + 10 * 4_000;
    expect(total.cost_nanos).toBe(dearer + Number(sonnet.cost_nanos));
    expect(await costBy(app, 'model')).toMatchObject({ nanos: total.cost_nanos });
    expect(await sessionOf(app, OPUS)).toMatchObject({ cost_nanos: dearer, revision: opus.revision + 1 });
    expect(await sessionOf(app, SONNET)).toMatchObject({
      revision: sonnet.revision,
      rows_version: sonnet.rows_version,
      price_book: (await sessionOf(app, OPUS)).price_book,
    });
    expect((await app.importNew()).sessions_parsed, 'all are priced').toBe(0);

    writePrices(program, null);
    await app.importNew();
    expect(await sessionOf(app, OPUS)).toMatchObject({ cost_nanos: opus.cost_nanos, price_book: opus.price_book });
  });

  it('git activity by others is listed, but not in the narrative', async () => {
    using home = createClaudeHome();
    await using program = await create(home.path);
    await using app = await program.open();
    home.write(`-w/${OPUS}.jsonl`, linesOf(OPUS, 'claude-opus-4-6'));
    await app.importNew();
    const before = await sessionOf(app, OPUS);
    expect(before.summary).not.toContain('commit');
    const workspace = { canonicalId: 'github.com/ada/shop', displayName: 'shop' };
    const commit = {
      key: 'commit:1',
      kind: 'commit',
      at: before.started_at,
      sha: 'a'.repeat(40),
      branch: 'main',
      message: 'fix: the till',
      filesChanged: 1,
      insertions: 1,
      deletions: 0,
      folder: '/r',
      worktreeName: null,
      sequence: 0,
      data: {},
    } as const;
    const found = { sessionId: OPUS, deviceId: app.device.id, folders: [{ folder: '/r', workspace }], calls: [] };
    await storeSessionGit(
      app.store.engine,
      [{ ...found, repositories: [{ workspace, activities: [commit] }] }],
      NOW.toISOString(),
    );
    await app.importNew();
    const after = await sessionOf(app, OPUS);
    const { git_activity } = await app.get('/sessions/:id/git', { params: { id: OPUS }, query: { limit: 10 } });
    expect(git_activity).toMatchObject([{ message: 'fix: the till', relation: 'meanwhile' }]);
    expect(after.summary).not.toContain('fix: the till');
    expect(after).toMatchObject({ lifecycle: 'summarized', rows_version: before.rows_version });
  });

  it('archiving: an archived session is still found by its pull request, branch and model', async () => {
    using home = createClaudeHome();
    await using program = await create(home.path);
    await using app = await program.open();
    home.write(`-w/${OPUS}.jsonl`, linesOf(OPUS, 'claude-opus-4-6'));
    await app.importNew();
    const groups = ['pr', 'branch', 'model', 'workspace', 'session', 'device', 'day', 'block'] as const;
    const before = await Promise.all(groups.map((by) => costBy(app, by)));
    expect(before[0]).toMatchObject({ keys: ['ada/shop#7'] });
    await archiveSessions(app, [OPUS], new AbortController().signal);
    expect(await sessionOf(app, OPUS)).toMatchObject({ lifecycle: 'archived' });
    expect(await Promise.all(groups.map((by) => costBy(app, by)))).toEqual(before);
  });
});

it('prices that cannot be read are reported before a database is opened, which would stay open', async () => {
  using claude = createClaudeHome();
  const home = join(claude.path, 'data');
  mkdirSync(home, { mode: 0o700 });
  writeFileSync(join(home, 'prices.json'), '{');
  const { config } = loadConfig({ FUEL_CODE_HOME: home, CLAUDE_CONFIG_DIR: claude.path });
  await expect(openApp({ config, clock: fixedClock, log: silentLog })).rejects.toMatchObject({ code: 'bad_config' });
  expect(existsSync(databasePath(home))).toBe(false);
});
