import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TranscriptMessage } from '../../src/domain/transcript.ts';
import { addTokens, NO_TOKENS, type TokenCounts } from '../../src/domain/usage.ts';
import { findSessions } from '../../src/transcript/testing/find-sessions.ts';
import { type Parsed, parseFiles } from '../../src/transcript/testing/parse-text.ts';
import { GENERATOR, HAS_GENERATOR } from '../support/shared-data.ts';

interface Truth {
  readonly lines: {
    readonly total: number;
    readonly valid: number;
    readonly malformed: number;
    readonly blank: number;
  };
  readonly promptLines: number;
  readonly patterns: Readonly<Record<string, number>>;
  readonly bySystemSubtype: Readonly<Record<string, number>>;
  readonly files: Readonly<Record<string, number>>;
  readonly tokensTotal: TruthTokens;
  readonly tokensByModel: Readonly<Record<string, TruthTokens>>;
}

interface TruthTokens {
  readonly messages: number;
  readonly input: number;
  readonly output: number;
  readonly cacheCreate5m: number;
  readonly cacheCreate1h: number;
  readonly cacheRead: number;
}

/**
 * Generated corpora have known results: one API message is one message.id, regardless of copies, echoes and replays.
 */
describe.runIf(HAS_GENERATOR).each(['classic', 'modern', 'mixed'])('generated corpus, %s era', (era) => {
  let folder = '';
  let truth: Truth;
  const parsed: Parsed[] = [];

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'corpus-'));
    execFileSync(process.execPath, [GENERATOR, '--out', folder, '--size', 'XS', '--era', era, '--sessions', '24']);
    truth = JSON.parse(readFileSync(join(folder, 'ground-truth.json'), 'utf8')) as Truth;
    for (const { sessionId, files } of findSessions(join(folder, '.claude/projects'))) {
      parsed.push(parseFiles(files, { sessionId, chunkBytes: 65_536 }));
    }
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const sum = (figure: (session: Parsed['session']) => number) =>
    parsed.reduce((all, { session }) => all + figure(session), 0);

  it('every line is accounted for', () => {
    expect(sum(({ lines }) => lines.total)).toBe(truth.lines.total);
    expect(sum(({ lines }) => lines.records)).toBe(truth.lines.valid);
    expect(sum(({ lines }) => lines.skipped)).toBe(truth.lines.malformed + truth.lines.blank);
  });

  it('tokens are exact, in total and per model', () => {
    const counted = countOnce(parsed.flatMap(({ session }) => session.messages));
    expect(counted.length).toBe(truth.tokensTotal.messages);
    expect(sumOf(counted)).toEqual(tokensOf(truth.tokensTotal));
    for (const [model, tokens] of Object.entries(truth.tokensByModel)) {
      expect(sumOf(counted.filter((message) => message.model === model))).toEqual(tokensOf(tokens));
    }
  });

  it('the counts of prompts, compactions and sub-agents are exact', () => {
    expect(sum(({ stats }) => stats.userMessages)).toBe(truth.promptLines + (truth.patterns['user/rich'] ?? 0));
    expect(sum(({ compactions }) => compactions.length)).toBe(truth.bySystemSubtype['compact_boundary'] ?? 0);
    expect(sum(({ stats }) => stats.subagentCount)).toBe((truth.files['subagent'] ?? 0) + (truth.files['aside'] ?? 0));
  });

  it('every sub-agent except a side question is linked to its call', () => {
    const agents = parsed.flatMap(({ session }) => session.subagents);
    const unlinked = agents.filter((agent) => agent.toolUseId === null && agent.agentType !== 'side-question');
    expect(unlinked).toEqual([]);
  });
});

/** The store does this over all sessions: one message per usage key, the fullest. */
function countOnce(messages: readonly TranscriptMessage[]): readonly TranscriptMessage[] {
  const byKey = new Map<string, TranscriptMessage>();
  for (const message of messages) {
    if (message.usage === null || message.usageKey === null) continue;
    const known = byKey.get(message.usageKey);
    if (known?.usage && known.usage.output > message.usage.output) continue;
    byKey.set(message.usageKey, message);
  }
  return [...byKey.values()];
}

function sumOf(messages: readonly TranscriptMessage[]): TokenCounts {
  const sum = { ...NO_TOKENS };
  for (const { usage } of messages) if (usage !== null) addTokens(sum, usage);
  return sum;
}

function tokensOf({ input, output, cacheRead, cacheCreate5m, cacheCreate1h }: TruthTokens): TokenCounts {
  return { input, output, cacheRead, cacheWrite5m: cacheCreate5m, cacheWrite1h: cacheCreate1h };
}
