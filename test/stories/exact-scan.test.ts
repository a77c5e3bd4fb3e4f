import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { writeOwnCorpus } from '../../bench/corpus.ts';
import { listTranscripts, scannedFiles } from '../../bench/transcripts.ts';
import { createJudge } from '../../src/app/cost/usage-judge.ts';
import { scanUsage } from '../../src/app/cost/usage-scan.ts';
import type { RowColumns } from '../../src/transcript/scan/usage-rows.ts';
import type { UsageTotal } from '../../src/transcript/scan/usage-totals.ts';
import { GENERATOR, HAS_GENERATOR, HAS_REAL_FILES, REAL_FILES } from '../support/shared-data.ts';

/** Compares the scan with a second, simple implementation of the same rules that ignores speed. */

const folders: string[] = [];
afterAll(() => folders.forEach((folder) => rmSync(folder, { recursive: true })));

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'fuel-code-scan-'));
  folders.push(folder);
  return folder;
}

interface Record_ {
  readonly id: string;
  readonly requestId: string | null;
  readonly thread: string;
  readonly isMain: boolean;
  readonly isEcho: boolean;
  readonly model: string;
  readonly day: string;
  readonly time: string;
  readonly tokens: readonly number[];
}

type Json = { readonly [key: string]: Json } & { readonly length?: number };

function recordsOf(path: string, text: string): Record_[] {
  return text.split('\n').flatMap((line) => parsed(line).flatMap((record) => recordOf(path, record)));
}

/** A line is one object, or two in a row. */
function parsed(line: string): Json[] {
  try {
    return [JSON.parse(line) as Json];
  } catch {
    const cut = line.indexOf('}{"') + 1;
    return cut === 0 ? [] : [...parsed(line.slice(0, cut)), ...parsed(line.slice(cut))];
  }
}

function recordOf(path: string, outer: Json): Record_[] {
  const isEcho = text(outer?.['type']) === 'progress' && text(outer['data']?.['type']) === 'agent_progress';
  const record = isEcho ? outer['data']?.['message'] : outer;
  const message = record?.['message'];
  const usage = message?.['usage'];
  if (text(record?.['type']) !== 'assistant' || !usage || text(message['model']) === '<synthetic>') return [];
  if ((record?.['isApiErrorMessage'] as unknown) === true) return [];
  const isAgentFile = /(^|\/)agent-|\/subagents\//.test(path);
  const isMain = !isEcho && !isAgentFile && (outer['isSidechain'] as unknown) !== true;
  const time = text(record?.['timestamp']) ?? '';
  const writes = Number(usage['cache_creation_input_tokens'] ?? 0);
  const hour = Number(usage['cache_creation']?.['ephemeral_1h_input_tokens'] ?? 0);
  const tokens = ['output_tokens', 'input_tokens', 'cache_read_input_tokens'].map((key) => Number(usage[key] ?? 0));
  return [
    {
      id: text(message['id']) ?? '',
      requestId: text(record?.['requestId']),
      thread: isMain ? 'main' : path,
      isMain,
      isEcho,
      model: text(message['model']) ?? '',
      day: time.slice(0, 10),
      time,
      tokens: [...tokens, writes - hour, hour],
    },
  ];
}

function text(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** Each message once: [day, model, output, input, cache read, 5m, 1h]. */
function messagesOf(records: readonly Record_[]): readonly (readonly (string | number)[])[] {
  return [...Map.groupBy(records, ({ id }) => id).values()].flatMap((same) => {
    const own = same.filter(({ isEcho }) => !isEcho);
    const rows = own.length > 0 ? own : same;
    const main = rows.filter(({ isMain }) => isMain);
    const thread = rows.toSorted((a, b) => (a.thread < b.thread ? -1 : 1))[0]?.thread;
    const counted = main.length > 0 ? main : rows.filter((each) => each.thread === thread);
    const requests = new Set(counted.flatMap(({ requestId }) => (requestId === null ? [] : [requestId])));
    const groups =
      requests.size > 1 ? [...requests].map((id) => counted.filter((each) => each.requestId === id)) : [same];
    return groups.map((group) => {
      const best = group.toSorted((a, b) => (b.tokens[0] ?? 0) - (a.tokens[0] ?? 0) || (a.time < b.time ? 1 : -1))[0];
      return [best?.day ?? '', best?.model ?? '', ...(best?.tokens ?? [])];
    });
  });
}

/** Tokens by day and model, as lines of text. */
function byDayAndModel(rows: Iterable<readonly (string | number)[]>): string[] {
  const sums = new Map<string, number[]>();
  for (const [day, model, ...tokens] of rows) {
    const sum = sums.get(`${day} ${model}`) ?? [0, 0, 0, 0, 0];
    sums.set(
      `${day} ${model}`,
      sum.map((value, index) => value + Number(tokens[index])),
    );
  }
  return [...sums].map(([key, sum]) => `${key}: ${sum.join(' ')}`).toSorted();
}

const asRow = (total: UsageTotal) => [
  total.day,
  total.model,
  total.output,
  total.input,
  total.cacheRead,
  total.cacheWrite5m,
  total.cacheWrite1h,
];

async function expectSameAsReference(root: string, threads = 1): Promise<void> {
  const records = listTranscripts(root).flatMap((path) => recordsOf(path, readFileSync(join(root, path), 'utf8')));
  const scan = await scanUsage(scannedFiles(root), { threads });
  expect(byDayAndModel(scan.totals.map(asRow))).toEqual(byDayAndModel(messagesOf(records)));
  expect(scan.sum.messages).toBe(messagesOf(records).length);
}

describe('on our own corpus', () => {
  const root = join(temporaryFolder(), 'projects');
  const truth = writeOwnCorpus(root, 6_000_000, 3);

  test.each([1, 2])('the scan with %i threads is exact', async (threads) => {
    const { sum, scans, unknownModels } = await scanUsage(scannedFiles(root), { threads });
    expect(sum).toMatchObject({
      messages: truth.messages,
      input: truth.input,
      output: truth.output,
      cacheRead: truth.cacheRead,
      cacheWrite5m: truth.cacheCreate5m,
      cacheWrite1h: truth.cacheCreate1h,
      unpricedMessages: 0,
    });
    expect(unknownModels).toEqual([]);
    expect(scans.map(({ slowLines, unreadableLines }) => slowLines + unreadableLines)).toEqual(scans.map(() => 0));
    expect(scans.reduce((files, scan) => files + scan.files, 0)).toBe(listTranscripts(root).length);
  });

  test('the slow reference agrees', async () => {
    await expectSameAsReference(root);
  });
});

interface Truth {
  readonly messages: number;
  readonly input: number;
  readonly output: number;
  readonly cacheCreate5m: number;
  readonly cacheCreate1h: number;
  readonly cacheRead: number;
}

const truthRow = (sums: Truth) => [sums.output, sums.input, sums.cacheRead, sums.cacheCreate5m, sums.cacheCreate1h];

function sumsBy(totals: readonly UsageTotal[], key: 'day' | 'model'): Record<string, unknown> {
  return Object.fromEntries(
    [...Map.groupBy(totals, (total) => total[key])].map(([name, own]) => [
      name,
      asRow(own[0] as UsageTotal)
        .slice(2)
        .map((_, column) => own.reduce((sum, total) => sum + Number(asRow(total)[column + 2]), 0)),
    ]),
  );
}

describe.runIf(HAS_GENERATOR)('on the shared corpus', () => {
  test.each(['classic', 'modern', 'mixed'])('the scan equals the ground truth of the %s era', async (era) => {
    const folder = temporaryFolder();
    execFileSync(process.execPath, [GENERATOR, '--out', folder, '--size', 'XS', '--era', era], { stdio: 'ignore' });
    const truth = JSON.parse(readFileSync(join(folder, 'ground-truth.json'), 'utf8')) as {
      tokensTotal: Truth;
      tokensByModel: Record<string, Truth>;
      tokensByDay: Record<string, Truth>;
      perSession: Record<string, { tokens: Truth }>;
    };
    const root = join(folder, '.claude/projects');
    const files = scannedFiles(root);
    const judge = (parts: readonly RowColumns[]) => createJudge(parts, { files, db: null });
    const { sum, totals, scans } = await scanUsage(files, { threads: 2, judge });
    const { tokensTotal } = truth;
    expect([
      sum.messages,
      ...asRow({ ...sum, slot: 0, day: '', model: '', sessionId: '', isAgent: false }).slice(2),
    ]).toEqual([tokensTotal.messages, ...truthRow(tokensTotal)]);
    const rows = (sums: Record<string, Truth>) =>
      Object.fromEntries(Object.entries(sums).map(([name, of]) => [name, truthRow(of)]));
    expect(sumsBy(totals, 'model')).toEqual(rows(truth.tokensByModel));
    expect(sumsBy(totals, 'day')).toEqual(rows(truth.tokensByDay));
    const messages = new Map<string, number>();
    for (const total of totals) messages.set(total.sessionId, (messages.get(total.sessionId) ?? 0) + total.messages);
    const owned = Object.entries(truth.perSession).filter(([, { tokens }]) => tokens.messages > 0);
    expect(Object.fromEntries(messages)).toEqual(
      Object.fromEntries(owned.map(([id, { tokens }]) => [id, tokens.messages])),
    );
    expect(scans.reduce((lines, scan) => lines + scan.slowLines, 0)).toBe(0);
  });
});

describe.runIf(HAS_REAL_FILES)('on real transcripts', () => {
  test.each([1, 2])('the scan with %i threads agrees with the slow reference', async (threads) => {
    await expectSameAsReference(REAL_FILES, threads);
  });

  test('the same holds for each repository alone', async () => {
    for (const name of readdirSync(REAL_FILES)) await expectSameAsReference(join(REAL_FILES, name));
  });

  test('nearly all lines take the fast path', async () => {
    const [scan] = (await scanUsage(scannedFiles(REAL_FILES))).scans;
    expect(scan?.usageLines).toBeGreaterThan(5_000);
    expect((scan?.slowLines ?? 0) / (scan?.usageLines ?? 1)).toBeLessThan(0.01);
    expect(scan?.unreadableLines).toBe(0);
  });
});
