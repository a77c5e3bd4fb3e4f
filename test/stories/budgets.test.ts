import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createCommands } from '../../src/app/commands.ts';
import { type App, openApp } from '../../src/app/open-app.ts';
import { rebuild } from '../../src/app/rebuild.ts';
import { chars } from '../../src/redact/testing/secrets.ts';
import { createClaudeHome, createTalk, text } from '../support/claude-home.ts';
import { dumpStore } from '../support/dump-store.ts';
import { loseDatabase } from '../support/lose-database.ts';
import { fixedClock, NOW, PROGRAMS, silentLog } from '../support/programs.ts';

const ID = '11111111-1111-4111-8111-111111111111';
/** The name of the folder, and so of its workspace. */
const SECRET = `ghp_${chars(36)}`;

interface Received {
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

/** A receiver on this machine that responds with these statuses in turn, then with 204. */
async function createReceiver(statuses: readonly number[] = []) {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += chunk));
    request.on('end', () => {
      const status = statuses[received.length] ?? 204;
      received.push({ headers: request.headers, body });
      response.writeHead(status, { location: `http://127.0.0.1:${(server.address() as AddressInfo).port}/elsewhere` });
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/hook?key=secret`,
    received,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => void server.close(() => resolve())),
  };
}

let minutes = 0;
/** Changes with the same time have no order in the journal. */
const clock = { ...fixedClock, now: () => new Date(NOW.getTime() + 60_000 * minutes++) };

const setBudget = (app: App, period: 'day' | 'month', amount_usd: number) =>
  createCommands(app, clock, () => {})['POST /budgets']({
    params: {},
    query: { zone: 'UTC' },
    body: { period, amount_usd },
  });

describe.each(PROGRAMS)('budgets on $name', ({ create }) => {
  it('survive the loss of the database', async () => {
    using home = createClaudeHome();
    await using program = await create(home.path);
    let said = '';
    {
      await using app = await program.open();
      home.write(`-w/${ID}.jsonl`, [createTalk(ID).user('One.')]);
      await app.importNew();
      await setBudget(app, 'day', 5);
      await setBudget(app, 'month', 50);
      await setBudget(app, 'month', 60);
      const { budgets } = await app.get('/budgets', { query: { zone: 'UTC' } });
      const remove = createCommands(app, clock, () => {})['DELETE /budgets/:budget_id'];
      await remove({ params: { budget_id: budgets[0]?.id ?? '' }, query: {}, body: null });
      said = await dumpStore(app.store.engine, ['budgets']);
      expect(said).toContain('60000000000');
      expect(said).not.toContain('"day"');
      await loseDatabase(app);
    }
    await rebuild({ config: program.config, clock: fixedClock, log: silentLog }, {});
    await using app = await program.open();
    expect(await dumpStore(app.store.engine, ['budgets'])).toBe(said);
  });

  it('are reported once per threshold, redacted, after the import that reached it', async () => {
    using home = createClaudeHome();
    await using program = await create(home.path);
    await using receiver = await createReceiver();
    const folder = mkdtempSync(join(tmpdir(), 'fuel-code-alert-'));
    const script = join(folder, 'alert it.sh');
    writeFileSync(script, `#!/bin/sh\n[ $# -eq 0 ] && cat >> "${join(folder, 'alerts')}"\n`);
    chmodSync(script, 0o700);
    const config = { ...program.config, budgetWebhook: receiver.url, budgetCommand: script };
    await using app = await openApp({ config, clock: fixedClock, log: silentLog });
    const talk = createTalk(ID, { startedAt: NOW.toISOString() });
    const say = (id: string, output: number) => ({
      ...talk.assistant(id, text('Yes.'), { input: 0, output }),
      cwd: `/srv/${SECRET}`,
    });
    // 25 dollars per million output tokens.
    home.write(`-w/${ID}.jsonl`, [{ ...talk.user('One.'), cwd: `/srv/${SECRET}` }, say('msg_1', 20_000)]);
    await app.importNew();
    const { workspaces } = await app.get('/workspaces', { query: { limit: 50 } });
    const body = { period: 'day', amount_usd: 1, workspace_id: workspaces[0]?.id ?? '' } as const;
    await createCommands(app, fixedClock, () => {})['POST /budgets']({ params: {}, query: { zone: 'UTC' }, body });
    await setBudget(app, 'month', 1_000);
    await app.importNew();
    expect(receiver.received).toEqual([]);
    for (const [n, output] of [14_000, 10, 20_000, 10].entries()) {
      home.append(`-w/${ID}.jsonl`, [say(`msg_n${n}`, output)]);
      await app.importNew();
    }
    const alerts = receiver.received.map(({ body: sent }) => JSON.parse(sent) as Record<string, unknown>);
    expect(alerts.map(({ percent, period, is_sample }) => [percent, period, is_sample])).toEqual([
      [80, 'day', false],
      [100, 'day', false],
    ]);
    expect(alerts[0]).toMatchObject({ version: 1, event: 'budget_alert', amount_usd: 1, first_day: '2026-11-15' });
    expect(Number(alerts[0]?.['spent_usd'])).toBeGreaterThan(0.8);
    expect(readFileSync(join(folder, 'alerts'), 'utf8')).toBe(receiver.received.map(({ body: sent }) => sent).join(''));
    expect(JSON.stringify(receiver.received)).not.toContain(SECRET.slice(4));
    expect(receiver.received[0]?.headers).not.toHaveProperty('authorization');
    rmSync(folder, { recursive: true });
  });

  it('a receiver that fails or redirects does not fail the import, and its key is in no log', async () => {
    using home = createClaudeHome();
    await using program = await create(home.path);
    await using receiver = await createReceiver([307, 500]);
    const warnings: string[] = [];
    const log = {
      ...silentLog,
      warn: (message: string, facts?: object) => void warnings.push(message + JSON.stringify(facts)),
    };
    const config = { ...program.config, budgetWebhook: receiver.url, budgetCommand: '/nowhere/alert' };
    await using app = await openApp({ config, clock: fixedClock, log });
    await setBudget(app, 'day', 0.01);
    const talk = createTalk(ID, { startedAt: NOW.toISOString() });
    home.write(`-w/${ID}.jsonl`, [
      talk.user('One.'),
      talk.assistant('msg_1', text('Yes.'), { input: 0, output: 9_000 }),
    ]);
    expect((await app.importNew()).sessions_parsed).toBe(1);
    expect(receiver.received).toHaveLength(1);
    expect(warnings.filter((line) => line.includes('budget alert'))).toEqual([
      expect.stringContaining('budgetWebhook answered with 307'),
    ]);
    expect(warnings.join()).not.toContain('key=secret');
  });
});
