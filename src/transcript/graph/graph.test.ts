import {
  array,
  check,
  constant,
  constantFrom,
  defaultReportMessage,
  type IPropertyWithHooks,
  integer,
  oneof,
  property,
  record,
} from 'fast-check';
import { describe, expect, it } from 'vitest';
import { growthOf, LINEAR } from '../../../test/support/growth.ts';
import { scaled } from '../../../test/support/sizes.ts';
import { pathSeenByModel } from '../../domain/message-path.ts';
import {
  assistantLine,
  envelope,
  linesOf,
  parseBytes,
  parseLines,
  text,
  toolResult,
  toolUse,
  userLine,
  uuid,
} from '../testing/parse-text.ts';
import { buildForest, type Forest, nearestAbove } from './branches.ts';
import { createUuidTable, findRow, rowOf, type UuidTable } from './uuid-table.ts';

const RUNS = scaled(250);

/** The counterexample found by fast-check; null if the property holds. */
function failureOf<T>(claim: IPropertyWithHooks<T>): string | null {
  return defaultReportMessage(check(claim, { numRuns: RUNS })) ?? null;
}

/** Whether a broken variant is detected; the seed is fixed, so that the result does not depend on chance. */
function isCaught<T>(claim: IPropertyWithHooks<T>): boolean {
  return check(claim, { numRuns: RUNS, seed: 1, endOnFailure: true }).failed;
}

describe('the uuid table', () => {
  it('finds every id again, uuids and others, even after growing', () => {
    const table = createUuidTable();
    const ids = Array.from({ length: 5_000 }, (_, at) => (at % 5 === 0 ? `odd-${at}` : uuid(at)));
    const rows = ids.map((id) => rowOf(table, id));
    expect(new Set(rows).size).toBe(ids.length);
    expect(ids.map((id) => findRow(table, id))).toEqual(rows);
    expect(findRow(table, uuid(999_999))).toBe(-1);
    expect(findRow(table, uuid(1).replace('9000', 'A000'))).toBe(-1);
  });
});

/** Parents by number: none, itself, any other, or one without a line. */
const graphs = array(
  record({ own: integer({ min: 0, max: 9 }), parent: oneof(constant(null), integer({ min: 0, max: 12 })) }),
  {
    maxLength: 12,
  },
);

function tableOf(nodes: readonly { own: number; parent: number | null }[]): UuidTable {
  const table = createUuidTable();
  for (const [line, { own, parent }] of nodes.entries()) {
    const row = rowOf(table, uuid(own));
    if ((table.line[row] as number) >= 0) continue;
    const above = parent === null ? -1 : rowOf(table, uuid(parent));
    table.parent[row] = above;
    table.line[row] = line;
  }
  return table;
}

describe('C25 cycles, self-parents, orphans, duplicates, children before parents', () => {
  const endsEverywhere = (build: (table: UuidTable) => Forest) =>
    property(graphs, (nodes) => {
      const forest = build(tableOf(nodes));
      for (let start = 0; start < forest.up.length; start += 1) {
        let steps = 0;
        for (let row = start; row >= 0; row = forest.up[row] as number) {
          steps += 1;
          if (steps > forest.up.length) throw new Error('walks in a circle');
        }
      }
      expect([...forest.byLine].length).toBe(new Set(nodes.map((node) => node.own)).size);
    });

  it('C25 every walk ends and every line is included', () => {
    expect(failureOf(endsEverywhere(buildForest))).toBeNull();
  });

  it('C25 detects a mutant that keeps cycles', () => {
    const naive = (table: UuidTable): Forest => ({ ...buildForest(table), up: table.parent.slice(0, table.size) });
    expect(isCaught(endsEverywhere(naive))).toBe(true);
  });

  it('C25 detects a mutant that drops orphans', () => {
    const strict = (table: UuidTable): Forest => {
      const forest = buildForest(table);
      const isAbsent = (row: number) => row >= 0 && (table.line[row] as number) < 0;
      return { ...forest, byLine: forest.byLine.filter((row) => !isAbsent(table.parent[row] as number)) };
    };
    expect(isCaught(endsEverywhere(strict))).toBe(true);
  });

  const shownOnce = (show: (bytes: Buffer) => readonly string[]) =>
    property(graphs, constantFrom('user', 'system'), (nodes, type) => {
      const lines = nodes.map(({ own, parent }, at) =>
        envelope(type, {
          uuid: uuid(own),
          parentUuid: parent === null ? null : uuid(parent),
          at,
          message: { content: `text ${at}` },
          content: `text ${at}`,
        }),
      );
      expect(show(linesOf(lines))).toEqual(nodes.map((_, at) => `text ${at}`));
    });

  it('C25 every record is shown exactly once, regardless of its uuid', () => {
    const shown = shownOnce((bytes) => parseBytes(bytes).blocks.map((block) => block.contentText ?? ''));
    expect(failureOf(shown)).toBeNull();
  });

  it('C25 detects a mutant with one record per uuid', () => {
    const byUuid = (bytes: Buffer) => {
      const { session, blocks } = parseBytes(bytes);
      const ids = new Map(session.messages.map((message) => [message.uuid, message.id]));
      const kept = new Set(ids.values());
      return blocks.filter((block) => kept.has(block.messageId)).map((block) => block.contentText ?? '');
    };
    expect(isCaught(shownOnce(byUuid))).toBe(true);
  });

  it('C25 the chain of parents of every message ends', () => {
    const ends = property(graphs, (nodes) => {
      const lines = nodes.map(({ own, parent }, at) =>
        userLine(`p${at}`, { uuid: uuid(own), parentUuid: parent === null ? null : uuid(parent), at }),
      );
      const { session } = parseLines(lines);
      const byId = new Map(session.messages.map((message) => [message.id, message]));
      for (const message of session.messages) {
        let [at, steps] = [message.parentMessageId, 0];
        while (at !== null && steps <= lines.length) [at, steps] = [byId.get(at)?.parentMessageId ?? null, steps + 1];
        expect(at).toBeNull();
      }
    });
    expect(failureOf(ends)).toBeNull();
  });

  it('C25 a chain of 100,000 is walked in linear time', () => {
    const chainOf = (length: number) => {
      const table = createUuidTable();
      for (let at = 0; at < length; at += 1) {
        const row = rowOf(table, uuid(at));
        table.parent[row] = at === 0 ? -1 : rowOf(table, uuid(at - 1));
        table.line[row] = at;
      }
      return table;
    };
    const walk = (table: UuidTable) => nearestAbove(buildForest(table), (row) => row === 0);
    expect(growthOf(12_500, chainOf, walk)).toBeLessThan(LINEAR);
    expect(walk(chainOf(100_000))[99_999]).toBe(0);
  });
});

describe('turns', () => {
  const [p1, a1, r1, r2, a2, p2] = [1, 2, 3, 4, 5, 6].map((number) => uuid(500 + number)) as [
    string,
    string,
    string,
    string,
    string,
    string,
  ];
  const lines = [
    userLine('first', { uuid: p1, at: 0 }),
    assistantLine([...toolUse('t1', 'Bash'), ...toolUse('t2', 'Read', { file_path: '/a' })], {
      uuid: a1,
      parentUuid: p1,
      id: 'm1',
      at: 1,
    }),
    userLine(toolResult('t1', 'one'), { uuid: r1, parentUuid: a1, at: 2 }),
    userLine(toolResult('t2', 'two'), { uuid: r2, parentUuid: a1, at: 3 }),
    assistantLine(text('done'), { uuid: a2, parentUuid: r2, id: 'm2', output: 7, at: 4 }),
    envelope('system', { subtype: 'turn_duration', durationMs: 4321, parentUuid: a2, at: 4 }),
    userLine('second', { uuid: p2, parentUuid: a2, at: 60 }),
  ];

  it('include parallel results, which a walk up from the leaf would miss', () => {
    const { session } = parseLines(lines);
    expect(
      session.turns.map((turn) => [turn.id, turn.parentTurnId, turn.stats.messages, turn.stats.toolCalls]),
    ).toEqual([
      [p1, null, 6, 2],
      [p2, p1, 1, 0],
    ]);
    expect(session.turns[0]).toMatchObject({ durationMs: 4321, durationSource: 'reported' });
    expect(session.turns[1]).toMatchObject({ durationMs: 0, durationSource: 'derived' });
    expect(session.turns[0]?.stats).toMatchObject({ assistantMessages: 2, filesRead: 1, tokens: { output: 12 } });
    expect(session.totals).toMatchObject({ activeMs: 4321, wallMs: 60_000 });
  });

  it('have a model path with both results and nothing later', () => {
    const { session } = parseLines(lines);
    expect(pathSeenByModel(session, a2).map((message) => message.id)).toEqual([p1, a1, r1, r2, a2]);
    expect(pathSeenByModel(session, a1).map((message) => message.id)).toEqual([p1, a1]);
    expect(pathSeenByModel(session, 'nobody')).toEqual([]);
  });

  it('continue across progress lines and attachments', () => {
    const [prompt, hook, context] = [uuid(520), uuid(521), uuid(522)];
    const { session } = parseLines([
      userLine('x', { uuid: prompt }),
      envelope('progress', { uuid: hook, parentUuid: prompt, data: { type: 'hook_progress' } }),
      envelope('attachment', {
        uuid: context,
        parentUuid: hook,
        attachment: { type: 'skill_listing', content: 'long' },
      }),
      assistantLine(text('y'), { parentUuid: context }),
    ]);
    expect(session.messages.at(-1)).toMatchObject({ parentMessageId: context, turnId: prompt });
    expect(session.messages[1]).toMatchObject({ origin: 'context', parentMessageId: prompt });
  });
});

describe('branches', () => {
  it('exist where two prompts follow one answer; the later one is current', () => {
    const [p, a, b1, b2, end] = [601, 602, 603, 604, 605].map(uuid) as [string, string, string, string, string];
    const context = uuid(606);
    const { session } = parseLines([
      userLine('start', { uuid: p }),
      assistantLine(text('ok'), { uuid: a, parentUuid: p, id: 'm1' }),
      userLine('try this', { uuid: b1, parentUuid: a }),
      assistantLine(text('tried'), { parentUuid: b1, id: 'm2' }),
      envelope('attachment', { uuid: context, parentUuid: a, attachment: { type: 'task_reminder' } }),
      userLine('no, that', { uuid: b2, parentUuid: context }),
      assistantLine(text('fine'), { uuid: end, parentUuid: b2, id: 'm3' }),
    ]);
    expect(session.branches).toEqual([{ uuid: a, messageId: a, agentId: null, turnIds: [b1, b2], currentTurnId: b2 }]);
    expect(session.turns.filter((turn) => turn.isBranch).map((turn) => turn.id)).toEqual([b1, b2]);
    expect(pathSeenByModel(session, end).map((message) => message.id)).toEqual([p, a, context, b2, end]);
  });

  it('do not include parallel results and local commands', () => {
    const [p, a] = [uuid(611), uuid(612)];
    const { session } = parseLines([
      userLine('start', { uuid: p }),
      assistantLine([...toolUse('t1', 'Bash'), ...toolUse('t2', 'Bash')], { uuid: a, parentUuid: p }),
      userLine(toolResult('t1', 'x'), { parentUuid: a }),
      userLine(toolResult('t2', 'x'), { parentUuid: a }),
      userLine('<command-name>/a</command-name>', { parentUuid: a }),
      userLine('<command-name>/b</command-name>', { parentUuid: a }),
    ]);
    expect(session.branches).toEqual([]);
  });
});

describe('compaction', () => {
  const ids = Array.from({ length: 8 }, (_, at) => uuid(700 + at));
  const [p1, a1, p2, a2, cut, sum, a3, back] = ids as [string, string, string, string, string, string, string, string];
  const { session } = parseLines([
    userLine('one', { uuid: p1, at: 0 }),
    assistantLine(text('a'), { uuid: a1, parentUuid: p1, id: 'm1', at: 1 }),
    userLine('two', { uuid: p2, parentUuid: a1, at: 2 }),
    assistantLine(text('b'), { uuid: a2, parentUuid: p2, id: 'm2', at: 3 }),
    envelope('system', {
      uuid: cut,
      subtype: 'compact_boundary',
      content: 'Conversation compacted',
      logicalParentUuid: a2,
      compactMetadata: {
        trigger: 'auto',
        preTokens: 168_000,
        postTokens: 9_000,
        durationMs: 1200,
        preservedSegment: { headUuid: p2, anchorUuid: sum, tailUuid: a2 },
      },
      at: 4,
    }),
    userLine('This session is being continued…', { uuid: sum, parentUuid: cut, isCompactSummary: true, at: 5 }),
    assistantLine(text('c'), { uuid: a3, parentUuid: sum, id: 'm3', at: 6 }),
    userLine('back to one', { uuid: back, parentUuid: a1, at: 7 }),
    envelope('system', {
      subtype: 'microcompact_boundary',
      parentUuid: a3,
      microcompactMetadata: { trigger: 'auto', preTokens: 50, tokensSaved: 40, compactedToolIds: ['t1'] },
    }),
  ]);
  const byId = new Map(session.messages.map((message) => [message.id, message]));

  it('sets sequence and isCompacted, excludes preserved messages, handles a rewind to before it', () => {
    expect(ids.map((id) => byId.get(id)?.compactSequence)).toEqual([0, 0, 0, 0, 1, 1, 1, 0]);
    expect(ids.map((id) => byId.get(id)?.isCompacted)).toEqual([true, true, false, false, false, false, false, false]);
  });

  it('reports trigger, tokens, summary and preserved lines', () => {
    expect(session.compactions[0]).toMatchObject({
      id: cut,
      kind: 'full',
      compactSequence: 1,
      trigger: 'auto',
      preTokens: 168_000,
      postTokens: 9_000,
      durationMs: 1200,
      summaryMessageId: sum,
      logicalParentUuid: a2,
      preservedUuids: [p2, a2],
    });
    expect(session.compactions[1]).toMatchObject({ kind: 'micro', savedTokens: 40, clearedToolUseIds: ['t1'] });
  });

  it('yields segments, and a turn that continues across the cut', () => {
    expect(
      session.segments.map(({ kind, compactSequence, compactionId }) => [kind, compactSequence, compactionId]),
    ).toEqual([
      ['original', 0, null],
      ['continuation', 1, cut],
    ]);
    expect(byId.get(a3)?.turnId).toBe(p2);
    expect(byId.get(cut)?.parentMessageId).toBe(a2);
  });

  it('ends the model path at the cut, with the preserved lines', () => {
    expect(pathSeenByModel(session, a3).map((message) => message.id)).toEqual([p2, a2, cut, sum, a3]);
    expect(pathSeenByModel(session, back).map((message) => message.id)).toEqual([p1, a1, back]);
  });
});
