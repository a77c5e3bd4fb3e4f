import { check, defaultReportMessage, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ParsedSession } from '../../domain/transcript.ts';
import type { LevelStats } from '../../domain/transcript-structure.ts';
import { transcriptBytes } from '../testing/arbitrary-transcript.ts';
import {
  assistantLine,
  envelope,
  linesOf,
  parseBytes,
  parseFiles,
  parseLines,
  text,
  timeAt,
  toolUse,
  userLine,
} from '../testing/parse-text.ts';

const MINUTE = 60;
const HOUR = 60 * MINUTE;

describe('start and end of a session', () => {
  it('are the earliest and the latest line of all its files', () => {
    const inOneFolder = [
      userLine('go', { at: HOUR }),
      assistantLine(toolUse('t1', 'Agent', { prompt: 'look' }), { at: 3 * HOUR }),
      envelope('system', { subtype: 'turn_duration', durationMs: 5, at: 2 * HOUR }),
    ];
    const inAnother = [{ type: 'queue-operation', operation: 'enqueue', content: '/init', timestamp: timeAt(10) }];
    const agent = [assistantLine(text('later'), { id: 'msg_2', at: 4 * HOUR })];
    const warmUp = [userLine('Warmup', { at: 30 * HOUR })];
    const files = [
      { bytes: linesOf(inOneFolder) },
      { bytes: linesOf(inAnother) },
      { bytes: linesOf(agent), agentId: 'a1', meta: { toolUseId: 't1' } },
      { bytes: linesOf(warmUp), agentId: 'a2' },
    ];
    const { session } = parseFiles(files);
    expect(session.facts).toMatchObject({ startedAt: timeAt(10), endedAt: timeAt(4 * HOUR) });
    expect(session.stats.durationMs).toBe((4 * HOUR - 10) * 1000);
    expect(session.totals.wallMs).toBe(session.stats.durationMs);
  });

  it('compare times in other forms by their value', () => {
    const stamps = ['2026-01-01T12:00:00Z', '2026-01-01T03:00:00+09:00', '2026-01-01T11:00:00.000Z'];
    const { session } = parseLines(stamps.map((timestamp, at) => userLine(`p${at}`, { timestamp })));
    expect(session.facts).toMatchObject({ startedAt: stamps[1], endedAt: stamps[0] });
    expect(session.stats.durationMs).toBe(18 * HOUR * 1000);
  });

  it('implausible times do not tell when the file was created or left', () => {
    const clear = (timestamp: string) => ({
      type: 'queue-operation',
      operation: 'enqueue',
      content: '/clear',
      timestamp,
    });
    const { session } = parseLines([
      clear('9999-12-31T23:59:59.999Z'),
      { type: 'file-history-snapshot', snapshot: { timestamp: timeAt(5) } },
      userLine('go', { at: 10 }),
    ]);
    expect(session.origins).toMatchObject({ leadMs: Date.parse(timeAt(5)), leftAt: null });
  });

  it.each([
    '1970-01-01T00:00:00.000Z',
    '9999-12-31T23:59:59.999Z',
    '2026-01-01T99:00:00.000Z',
    '2026-01-0xT00:00:00.000Z',
    'yesterday',
    '',
    1_767_225_600_000,
  ])('the time %j is counted as implausible and not used', (timestamp) => {
    const { session } = parseLines([
      userLine('go', { at: 10 }),
      userLine('on', { timestamp }),
      { type: 'queue-operation', operation: 'dequeue', timestamp },
      assistantLine(text('done'), { at: 20 }),
    ]);
    expect(session.facts).toMatchObject({ startedAt: timeAt(10), endedAt: timeAt(20) });
    expect(session.anomalies.get('bad_timestamp')).toBe(2);
    expect(session.messages[1]?.timestamp).toBeNull();
  });
});

function levelsOf({ totals, segments, subagents, turns }: ParsedSession): readonly LevelStats[] {
  return [totals, ...[...segments, ...subagents, ...turns].map(({ stats }) => stats)];
}

describe('active time', () => {
  it('counts overlapping turns once', () => {
    const first = userLine('first', { at: 0 }) as { uuid: string };
    const second = userLine('second', { at: MINUTE }) as { uuid: string };
    const { session } = parseLines([
      first,
      second,
      assistantLine(text('a'), { id: 'm1', parentUuid: first.uuid, at: 2 * MINUTE }),
      assistantLine(text('b'), { id: 'm2', parentUuid: second.uuid, at: 3 * MINUTE }),
    ]);
    expect(session.turns.map(({ durationMs }) => durationMs)).toEqual([2 * MINUTE * 1000, 2 * MINUTE * 1000]);
    expect(session.totals.activeMs).toBe(3 * MINUTE * 1000);
  });

  it('of a segment excludes the time between its turns', () => {
    const first = userLine('first', { at: 0 }) as { uuid: string };
    const answer = assistantLine(text('a'), { id: 'm1', parentUuid: first.uuid, at: 10 }) as { uuid: string };
    const away = envelope('system', { subtype: 'away_summary', parentUuid: answer.uuid, at: MINUTE }) as {
      uuid: string;
    };
    const second = userLine('second', { parentUuid: away.uuid, at: HOUR }) as { uuid: string };
    const last = assistantLine(text('b'), { id: 'm2', parentUuid: second.uuid, at: HOUR + 20 }) as { uuid: string };
    const { session } = parseLines([first, answer, away, second, last]);
    expect(session.segments[0]?.stats).toMatchObject({ wallMs: (HOUR + 20) * 1000, activeMs: 30_000 });
    expect(session.totals).toMatchObject({ wallMs: (HOUR + 20) * 1000, activeMs: 30_000 });
  });

  it.each([{ message: { duration_ms: 4_000 } }, { message: { durationMs: 4_000 } }, { durationMs: 4_000 }])(
    'is what a turn_duration line reports as %j',
    (fields) => {
      const { session } = parseLines([
        userLine('go', { at: 0 }),
        assistantLine(text('done'), { at: 10 }),
        envelope('system', { subtype: 'turn_duration', ...fields, at: 11 }),
      ]);
      expect(session.turns[0]).toMatchObject({ durationMs: 4_000, durationSource: 'reported' });
      expect(session.totals.activeMs).toBe(4_000);
    },
  );

  it('reports the tokens saved by a compaction if both sizes are known', () => {
    const boundary = (at: number, compactMetadata: object) =>
      envelope('system', { subtype: 'compact_boundary', at, compactMetadata });
    const { session } = parseLines([
      boundary(1, { trigger: 'auto', preTokens: 155_000, postTokens: 21_000 }),
      boundary(2, { trigger: 'auto', preTokens: 155_000 }),
    ]);
    expect(session.compactions.map(({ savedTokens }) => savedTokens)).toEqual([134_000, null]);
  });
});

describe('for any lines', () => {
  it('the session spans all plausible times, and no level is active for longer than it lasts', () => {
    const claim = property(transcriptBytes, (bytes) => {
      const seen: number[] = [];
      const see = ({ timestamp }: { readonly timestamp?: unknown }) => {
        const ms = Date.parse(String(timestamp));
        if (ms >= Date.UTC(2020, 0) && ms < Date.UTC(2100, 0)) seen.push(ms);
      };
      const { session } = parseBytes(bytes, { see });
      const { startedAt, endedAt } = session.facts;
      expect(startedAt === null ? [] : [Date.parse(startedAt)]).toEqual(seen.toSorted((a, b) => a - b).slice(0, 1));
      expect(endedAt === null ? [] : [Date.parse(endedAt)]).toEqual(seen.toSorted((a, b) => b - a).slice(0, 1));
      for (const { activeMs, wallMs } of levelsOf(session)) {
        expect(activeMs ?? 0).toBeGreaterThanOrEqual(0);
        expect(activeMs ?? 0).toBeLessThanOrEqual(wallMs ?? 0);
      }
    });
    expect(defaultReportMessage(check(claim, { numRuns: 400 }))).toBeUndefined();
  });
});
