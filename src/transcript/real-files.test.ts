import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { HAS_REAL_FILES, REAL_FILES } from '../../test/support/shared-data.ts';
import { parseSession } from './parser.ts';
import { findFiles } from './testing/find-sessions.ts';
import { parseBytes } from './testing/parse-text.ts';

interface Checkpoint {
  readonly session_id?: string;
  readonly token_usage?: {
    readonly input_tokens: number;
    readonly cache_creation_tokens: number;
    readonly cache_read_tokens: number;
    readonly output_tokens: number;
    readonly api_call_count: number;
  };
}

/** Errors in the line accounting of a file; expected to be empty. */
function faultsIn(bytes: Buffer): readonly string[] {
  const { session, blocks } = parseBytes(bytes);
  const { lines } = session;
  let expected = bytes.length > 0 && bytes.at(-1) !== 0x0a ? 1 : 0;
  for (let at = bytes.indexOf(0x0a); at >= 0; at = bytes.indexOf(0x0a, at + 1)) expected += 1;
  const ids = new Set(session.messages.map((message) => message.id));
  const faults = {
    'lines are missing': lines.total !== expected,
    'classes do not add up': lines.records + lines.salvaged + lines.skipped !== lines.total,
    'ids are not unique': ids.size !== session.messages.length,
    'a block has no message': blocks.some((block) => !ids.has(block.messageId)),
  };
  return Object.entries(faults).flatMap(([name, isThere]) => (isThere ? [name] : []));
}

/** xorshift: the same damage in every run. */
function randomFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % below;
  };
}

describe.runIf(HAS_REAL_FILES)('real transcripts', () => {
  const files = HAS_REAL_FILES ? [...findFiles(REAL_FILES, '.jsonl')] : [];

  it('every file is read without an exception and every line is accounted for', () => {
    expect(files.length).toBeGreaterThan(100);
    expect(files.flatMap((file) => faultsIn(readFileSync(file)))).toEqual([]);
  });

  it('token counts match the independent count wherever that has all messages', () => {
    let compared = 0;
    for (const file of files.filter((path) => path.endsWith('full.jsonl'))) {
      const beside = join(dirname(file), 'metadata.json');
      if (!existsSync(beside)) continue;
      const { session_id: sessionId = 'x', token_usage: oracle } = JSON.parse(
        readFileSync(beside, 'utf8'),
      ) as Checkpoint;
      const { session } = parseBytes(readFileSync(file), { sessionId });
      if (oracle === undefined || session.stats.assistantMessages !== oracle.api_call_count) continue;
      compared += 1;
      expect(session.stats).toMatchObject({
        tokensIn: oracle.input_tokens,
        cacheWriteTokens: oracle.cache_creation_tokens,
        cacheReadTokens: oracle.cache_read_tokens,
        tokensOut: oracle.output_tokens,
      });
    }
    expect(compared).toBeGreaterThan(30);
  });

  it('D17 damaged real files: flipped bits, spliced lines, truncated ends', () => {
    const random = randomFrom(20_260_301);
    const faults: string[] = [];
    for (const file of files.filter((_, at) => at % 5 === 0)) {
      const bytes = Buffer.from(readFileSync(file).subarray(0, 400_000));
      if (bytes.length < 10) continue;
      for (let hits = 0; hits < 20; hits += 1) bytes[random(bytes.length)] = random(256);
      faults.push(...faultsIn(bytes));
      const [from, to] = [random(bytes.length), random(bytes.length)];
      faults.push(...faultsIn(Buffer.concat([bytes.subarray(0, from), bytes.subarray(to)])));
      faults.push(...faultsIn(bytes.subarray(0, random(bytes.length))));
    }
    expect(faults).toEqual([]);
  });

  it('a stream in any chunking gives the same result as the whole file', async () => {
    for (const file of files.filter((_, at) => at % 9 === 0)) {
      const bytes = readFileSync(file);
      const chunks = async function* () {
        for (let at = 0; at < bytes.length; at += 1_777) yield bytes.subarray(at, at + 1_777);
      };
      const source = { role: 'main', agentId: null, name: 'file-0.jsonl', bytes: chunks() } as const;
      const { session } = parseBytes(bytes, { sessionId: 's' });
      expect(await parseSession('s', [source], { block: () => undefined })).toEqual(session);
    }
  });
});
