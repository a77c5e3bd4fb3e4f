import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { SessionRow } from '../../src/api/sessions.ts';
import type { App } from '../../src/app/open-app.ts';
import { createClaudeHome } from '../support/claude-home.ts';
import { faultsOfNarrative, faultsOfWork } from '../support/oracle/check-narrative.ts';
import { faultsOfTitle } from '../support/oracle/check-title.ts';
import { makeSession } from '../support/oracle/make-session.ts';
import { type RawSession, readRawSession } from '../support/oracle/raw-session.ts';
import { PROGRAMS } from '../support/programs.ts';
import { HAS_REAL_FILES, LAY_OUT, REAL_FILES } from '../support/shared-data.ts';
import { scaled } from '../support/sizes.ts';

async function sessionsOf(app: App): Promise<readonly SessionRow[]> {
  const sessions: SessionRow[] = [];
  for (let cursor: string | undefined; ; ) {
    const query = { limit: 200, ...(cursor === undefined ? {} : { cursor }) };
    const page = await app.get('/sessions', { query });
    sessions.push(...page.sessions);
    if (page.next_cursor === null) return sessions;
    cursor = page.next_cursor;
  }
}

function faultsOf(session: SessionRow, raw: RawSession): readonly string[] {
  const faults = [
    ...faultsOfNarrative(session.summary ?? '', raw),
    ...faultsOfTitle(session, raw),
    ...faultsOfWork(session, raw),
  ];
  return faults.map((fault) => `${session.id.slice(0, 8)} ${fault}`);
}

/** The list and the narrative state the same number of commits, in forks too. */
function disagreementOf({ id, summary, work }: SessionRow): readonly string[] {
  const told = Number(/^([\d,]+) commits?: /m.exec(summary ?? '')?.[1]?.replaceAll(',', '') ?? 0);
  return told === work?.commits
    ? []
    : [`${id.slice(0, 8)} ${told} commits in the narrative, ${work?.commits} in lists`];
}

const jsonl = (lines: readonly object[]) => lines.map((line) => `${JSON.stringify(line)}\n`).join('');

// Compares every sentence with an independent reading of the raw lines.
describe.each(PROGRAMS)('narratives are true, on $name', ({ name, create }) => {
  const isQuick = name.startsWith('PostgreSQL');
  const sizes = isQuick
    ? [1, 2, 3, 21, 60]
    : [...Array(scaled(10)).fill(1), ...Array(scaled(5)).fill(2), 3, 5, 8, 13, 19, 20, 21, 34, 61, 130, scaled(250)];

  it('of generated sessions with one to hundreds of prompts', async () => {
    using home = createClaudeHome();
    const made = sizes.map((prompts, n) => makeSession(1_000 + n, prompts));
    for (const { sessionId, main, agents } of made) {
      home.write(`-home-ada-shop/${sessionId}.jsonl`, main);
      for (const agent of agents) home.write(`-home-ada-shop/${sessionId}/subagents/${agent.name}.jsonl`, agent.lines);
    }
    await using program = await create(home.path);
    await using app = await program.open();
    expect((await app.importNew()).failed).toEqual([]);
    const raws = new Map(
      made.map(({ sessionId, main, agents }) => {
        const files = [
          { text: jsonl(main), isAgent: false },
          ...agents.map(({ lines }) => ({ text: jsonl(lines), isAgent: true })),
        ];
        return [sessionId, readRawSession(files)];
      }),
    );
    const sessions = await sessionsOf(app);
    expect(sessions).toHaveLength(made.length);
    const faults = sessions.flatMap((session) => faultsOf(session, raws.get(session.id) as RawSession));
    expect(faults).toEqual([]);
  });
});

describe.runIf(HAS_REAL_FILES)('narratives are true', () => {
  it('of real sessions', async () => {
    const home = mkdtempSync(join(tmpdir(), 'fuel-code-real-'));
    try {
      execFileSync(process.execPath, [LAY_OUT, REAL_FILES, home], { stdio: 'ignore' });
      await using program = await (PROGRAMS[0] as (typeof PROGRAMS)[number]).create(home);
      await using app = await program.open();
      await app.importNew();
      const raws = readRealSessions(home);
      const forks = findCopies(raws);
      const sessions = await sessionsOf(app);
      expect(sessions.flatMap(disagreementOf)).toEqual([]);
      const faults = sessions.flatMap((session) => {
        const files = raws.get(session.id);
        // The copied beginning of a fork is not its own; the raw lines alone do not show where it comes from.
        return files === undefined || forks.has(session.id) ? [] : faultsOf(session, readRawSession(files));
      });
      expect(faults).toEqual([]);
    } finally {
      rmSync(home, { recursive: true });
    }
  });
});

/** Sessions that share lines with another one, or contain lines that name another one. */
function findCopies(raws: ReturnType<typeof readRealSessions>): ReadonlySet<string> {
  const holders = new Map<string, string[]>();
  const copies = new Set<string>();
  for (const [id, files] of raws) {
    for (const { text } of files) {
      const named = [...text.matchAll(/"sessionId":\s*"([^"]+)"/g)].map(([, name]) => name);
      if (named.some((name) => name !== id)) copies.add(id);
      for (const [, uuid = ''] of text.matchAll(/"uuid":\s*"([^"]+)"/g)) {
        const known = holders.get(uuid) ?? [];
        if (!known.includes(id)) holders.set(uuid, [...known, id]);
      }
    }
  }
  for (const ids of holders.values()) if (ids.length > 1) for (const id of ids) copies.add(id);
  return copies;
}

/** The files of a Claude home by session: its own by name, those of sub-agents by the session they name. */
function readRealSessions(home: string): ReadonlyMap<string, { text: string; isAgent: boolean }[]> {
  const sessions = new Map<string, { text: string; isAgent: boolean }[]>();
  const paths = readdirSync(join(home, 'projects'), { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith('.jsonl'),
  );
  for (const path of paths.toSorted()) {
    const text = readFileSync(join(home, 'projects', path), 'utf8');
    const isAgent = basename(path).startsWith('agent-');
    const id = isAgent ? /"sessionId":\s*"([^"]+)"/.exec(text)?.[1] : basename(path, '.jsonl');
    if (id !== undefined) sessions.set(id, [...(sessions.get(id) ?? []), { text, isAgent }]);
  }
  return sessions;
}
