import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CostReport } from '../../src/api/usage.ts';
import { answerCost } from '../../src/app/cost/cost.ts';
import type { CostGroup } from '../../src/domain/cost.ts';
import { createClaudeHome } from '../support/claude-home.ts';
import { copied, exchange, opened, queued } from '../support/lineage-home.ts';
import { fixedClock, PROGRAMS, type Program } from '../support/programs.ts';
import { size } from '../support/sizes.ts';

type Line = Readonly<Record<string, unknown>>;

/** The next action of the person, on one of the existing sessions. */
interface Step {
  readonly kind: 'new' | 'resume' | 'fork' | 'branch';
  readonly session: number;
  readonly isPrint: boolean;
  /** How much of a streaming message a copy contains. */
  readonly streams: boolean;
  readonly pauseSeconds: number;
}

const steps = fc.array(
  fc.record({
    kind: fc.constantFrom('new', 'resume', 'fork', 'branch'),
    session: fc.nat(9),
    isPrint: fc.boolean(),
    streams: fc.boolean(),
    pauseSeconds: fc.constantFrom(1, 30, 200, 5_000),
  }),
  { minLength: 1, maxLength: 9 },
);

const idOf = (random: number, index: number) =>
  `${((random * 7 + index * 5) % 16).toString(16)}${index}000000-2222-4333-8444-555555555555`;

/** The files that the client would leave after these steps. */
function play(script: readonly Step[], random: number): ReadonlyMap<string, readonly Line[]> {
  const sessions: { id: string; lines: Line[] }[] = [];
  let second = 0;
  for (const [index, step] of script.entries()) {
    second += step.pauseSeconds;
    const from = sessions[step.session % Math.max(1, sessions.length)];
    const isNew = step.kind === 'new' || from === undefined;
    const session = !isNew && step.kind === 'resume' ? from : { id: idOf(random, index), lines: [] as Line[] };
    if (step.isPrint) session.lines.push(...queued(session.id, second));
    else session.lines.push(...opened(session.id, second));
    if (!isNew && step.kind !== 'resume') {
      const mark = (line: Line) =>
        step.kind === 'branch' ? { forkedFrom: { sessionId: from.id, messageUuid: line['uuid'] } } : {};
      session.lines.push(...cutLast(copied(from.lines, session.id, mark), step.streams));
    }
    session.lines.push(...exchange(session.id, `x${index}`, second));
    if (session !== from) sessions.push(session);
    second += 10;
  }
  return new Map(sessions.map(({ id, lines }) => [id, lines]));
}

/** A copy made while the last answer was streaming has fewer of its tokens. */
function cutLast(lines: readonly Line[], streams: boolean): readonly Line[] {
  const last = lines.findLastIndex(({ type }) => type === 'assistant');
  if (!streams) return lines;
  return lines.map((line, index) => {
    const message = line['message'] as { readonly usage: object };
    return index === last ? { ...line, message: { ...message, usage: { ...message.usage, output_tokens: 1 } } } : line;
  });
}

const SCANNED: readonly CostGroup[] = ['day', 'week', 'month', 'block', 'model', 'session'];

async function costsOf(program: Program, isImported: boolean, groups: readonly CostGroup[]) {
  const reports: CostReport[] = [];
  for (const by of groups) {
    const query = { by, timezone: 'UTC', since: null, until: null };
    const deps = { config: program.config, clock: fixedClock, importNew: () => Promise.resolve(isImported) };
    reports.push(await answerCost(query, { ...deps, maxCatchUpBytes: isImported ? Number.MAX_SAFE_INTEGER : 0 }));
  }
  return reports.map(({ rows }) => rows.map(({ label: _label, ...figures }) => figures));
}

/** By default half of the usual number of cases on the first engine, fewer on others; `PROPERTY_RUNS` sets it. */
function runsOn(name: string, usual: number): number {
  const small = Math.ceil(usual / (name === PROGRAMS[0]?.name ? 2 : 6));
  return size('PROPERTY_RUNS', small);
}

describe.each(PROGRAMS)('usage before and after an import, on $name', ({ name, create }) => {
  it('is the same to the token for every grouping, with any forks, resumes and copies', async () => {
    await fc.assert(
      fc.asyncProperty(steps, fc.nat(1_000), async (script, random) => {
        using home = createClaudeHome();
        const files = play(script, random);
        for (const [id, lines] of files) home.write(`-home-ada-shop/${id}.jsonl`, lines);
        await using program = await create(home.path);
        const before = await costsOf(program, false, SCANNED);
        await using app = await program.open();
        await app.importNew({ rowsOnly: true });
        expect(await costsOf(program, true, SCANNED)).toEqual(before);
        // Every exchange counts in the session it was said in, with all its tokens.
        const sessions = before[SCANNED.indexOf('session')] ?? [];
        const said = [...files].map(([id, lines]) => [id, ownOutput(id, lines)] as const);
        expect(new Map(sessions.map(({ key, tokens_out }) => [key, tokens_out]))).toEqual(new Map(said));
      }),
      { numRuns: runsOn(name, 25) },
    );
  });
});

/** Times written by a broken clock, a broken tool or another program. */
const times = fc.constantFrom(
  undefined,
  null,
  '',
  'yesterday',
  17,
  '1970-01-01T00:00:00.000Z',
  '2019-12-31T23:59:59.999Z',
  '2100-01-01T00:00:00.000Z',
  '9999-12-31T23:59:59.999Z',
  '2026-11-03',
  '2026-11-03T10:00:00Z',
  '2026-11-03T23:30:00-05:00',
  '2026-11-03T10:00:00.000Z',
);

describe.each(PROGRAMS)('lines with implausible times, on $name', ({ name, create }) => {
  it('cost the same before and after an import, by every grouping', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(times, { minLength: 1, maxLength: 12 }), async (stamps) => {
        using home = createClaudeHome();
        const id = idOf(1, 1);
        const lines = Array.from({ length: 3 }, (_, n) => exchange(id, `x${n}`, n * 60)).flat();
        const changed = lines.map((line, at) => ({ ...line, timestamp: stamps[at % stamps.length] }));
        home.write(`-home-ada-shop/${id}.jsonl`, changed);
        await using program = await create(home.path);
        const before = await costsOf(program, false, SCANNED);
        await using app = await program.open();
        await app.importNew({ rowsOnly: true });
        expect(await costsOf(program, true, SCANNED)).toEqual(before);
        // Messages without a usable time are in the total but on no day.
        const days = before[0] ?? [];
        expect(days.reduce((sum, { tokens_out }) => sum + tokens_out, 0)).toBe(300);
        expect(days.filter(({ key }) => key !== '' && !key.startsWith('2026-11-0'))).toEqual([]);
      }),
      { numRuns: runsOn(name, 10) },
    );
  });
});

/** What a crash, a full disk, an editor or another program does to a line. */
type Damage = (line: Buffer, at: number, random: number) => Buffer;

const cutAt = (line: Buffer, at: number, removed: number, ...inserted: readonly number[]) =>
  Buffer.concat([line.subarray(0, at), Buffer.from(inserted), line.subarray(at + removed)]);

const DAMAGES: { readonly [name: string]: Damage } = {
  none: (line) => line,
  'a NUL byte inserted': (line, at) => cutAt(line, at, 0, 0),
  'NUL bytes inserted': (line, at) => cutAt(line, at, 0, 0, 0, 0),
  'a byte replaced by NUL': (line, at) => cutAt(line, at, 1, 0),
  'NUL bytes over a range': (line, at, random) =>
    Buffer.from(line).fill(0, at, Math.min(line.length, at + 1 + (random % 40))),
  'NUL bytes before': (line) => cutAt(line, 0, 0, 0, 0),
  'a byte lost': (line, at) => cutAt(line, at, 1),
  'a byte changed': (line, at, random) => cutAt(line, at, 1, random % 256),
  'a quote lost': (line, at) => cutAt(line, line.indexOf('"', at), 1),
  'a brace lost': (line, at) => cutAt(line, Math.max(line.indexOf('}', at), 0), 1),
  'the rest lost': (line, at) => line.subarray(0, at),
  'the beginning lost': (line, at) => line.subarray(at),
  'text in front': (line) => Buffer.concat([Buffer.from('// note '), line]),
  'text behind': (line) => Buffer.concat([line, Buffer.from(' trailing')]),
  'written twice on one line': (line) => Buffer.concat([line, line]),
  'cut off and written again': (line, at) => Buffer.concat([line.subarray(0, at), line]),
  'a byte order mark': (line) => cutAt(line, 0, 0, 0xef, 0xbb, 0xbf),
  'invalid UTF-8': (line, at) => cutAt(line, at, 0, 0xc3, 0x28),
  'a carriage return': (line) => Buffer.concat([line, Buffer.from('\r')]),
};

/** Fields that decide who counts what, and values that other programs put there. */
const FIELDS = ['sessionId', 'uuid', 'requestId', 'type', 'isSidechain', 'session_id', 'isApiErrorMessage', 'agentId'];
const MESSAGE_FIELDS = ['id', 'model', 'usage', 'role', 'content'];
const VALUES = [
  null,
  '',
  0,
  true,
  'x',
  'a\u0000b',
  '\u0000',
  'é\ud800',
  {},
  [],
  '99999999-2222-4333-8444-555555555555',
];

const damages = fc.array(
  fc.record({
    line: fc.nat(23),
    name: fc.constantFrom(
      ...Object.keys(DAMAGES),
      'a field',
      'a field',
      'a field of the message',
      'a field of the message',
    ),
    at: fc.nat(900),
    random: fc.nat(1_000),
  }),
  { minLength: 1, maxLength: 6 },
);

type Damaged = typeof damages extends fc.Arbitrary<readonly (infer One)[]> ? One : never;

function damage(line: Line, { name, at, random }: Damaged): Buffer {
  const known = DAMAGES[name];
  if (known === undefined) return Buffer.from(JSON.stringify(withField(line, name, at, random)));
  const bytes = Buffer.from(JSON.stringify(line));
  return known(bytes, at % bytes.length, random);
}

function withField(line: Line, name: string, at: number, random: number): Line {
  const value = VALUES[random % VALUES.length];
  if (name === 'a field') return { ...line, [FIELDS[at % FIELDS.length] as string]: value };
  const field = MESSAGE_FIELDS[at % MESSAGE_FIELDS.length] as string;
  return { ...line, message: { ...(line['message'] as object), [field]: value } };
}

/** Names of files that hold the lines of a session, and of others beside it. */
const NAMES = [
  (id: string) => `-home-ada-shop/${id}.jsonl`,
  (id: string) => `-home-ada-shop/${id} copy.jsonl`,
  (id: string) => `-home-ada-shop/backup-${id}.jsonl`,
  () => '-home-ada-shop/notes.jsonl',
  () => '-home-ada-shop/.jsonl',
  () => '-home-ada-shop/agent-a1.jsonl',
  (id: string) => `-home-ada-shop/${id}/subagents/agent-a2.jsonl`,
  () => '-home-ada-shop/lost/subagents/agent-a3.jsonl',
  (id: string) => `-home-ada-shop/${id}/subagents/workflows/wf_1/agent-a4.jsonl`,
  (id: string) => `${id}/notes.jsonl`,
  () => 'subagents/notes.jsonl',
];

const NEWLINE = Buffer.from('\n');

/** Two exchanges; those in a file of a sub-agent are marked as such. */
function linesFor(path: string, id: string, name: number): readonly Line[] {
  const isAgent = path.includes('agent-');
  const more = isAgent ? { isSidechain: true, agentId: 'a1' } : {};
  return [0, 60].flatMap((second) => exchange(id, `${isAgent ? 'a' : 'x'}${name}${second}`, second, more));
}

function harmed(line: Line, at: number, harm: readonly Damaged[]): Buffer {
  const own = harm.find((one) => one.line === at);
  return own === undefined ? Buffer.from(JSON.stringify(line)) : damage(line, own);
}

describe.each(PROGRAMS)('damaged and renamed files, on $name', ({ name, create }) => {
  it('cost the same before and after an import, by every grouping', async () => {
    const places = fc.array(fc.nat(NAMES.length - 1), { minLength: 1, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(places, damages, fc.boolean(), async (where, harm, isSame) => {
        using home = createClaudeHome();
        for (const [index, place] of where.entries()) {
          const id = idOf(1, isSame ? 1 : index);
          const path = (NAMES[place] as (typeof NAMES)[number])(id);
          const lines = linesFor(path, id, isSame ? 0 : index);
          home.write(
            path,
            Buffer.concat(
              lines.flatMap((line, at) => [harmed(line, index * lines.length + at, isSame ? [] : harm), NEWLINE]),
            ),
          );
        }
        await using program = await create(home.path);
        const before = await costsOf(program, false, SCANNED);
        await using app = await program.open();
        await app.importNew({ rowsOnly: true });
        expect(await costsOf(program, true, SCANNED)).toEqual(before);
      }),
      { numRuns: runsOn(name, 60) },
    );
  });
});

/** Copies keep the name of the session in which a line was said. */
function ownOutput(id: string, lines: readonly Line[]): number {
  const own = lines.filter((line) => line['type'] === 'assistant' && line['said_in'] === id);
  return own.reduce(
    (sum, line) => sum + (line['message'] as { usage: { output_tokens: number } }).usage.output_tokens,
    0,
  );
}

const REAL = process.env['TEST_CLAUDE_HOME'] ?? '';

describe('a real Claude home', () => {
  it('costs the same before and after its import, by every grouping', async ({ skip }) => {
    skip(REAL === '', 'set TEST_CLAUDE_HOME to a Claude home with real sessions');
    const { create } = PROGRAMS[0] as (typeof PROGRAMS)[number];
    await using program = await create(REAL);
    const before = await costsOf(program, false, SCANNED);
    await using app = await program.open();
    await app.importNew({ rowsOnly: true });
    expect(await costsOf(program, true, SCANNED)).toEqual(before);
  });
});
