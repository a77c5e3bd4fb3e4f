import { z } from 'zod';
import type { UsageReport } from '../../api/usage.ts';
import { allTokens } from '../../domain/cost.ts';
import { compactPlural, formatCompact, formatNanos, plural } from '../../reading/format.ts';
import { joinFacts, titleLine } from '../text.ts';
import { cursor, cutRows, date, defineTool, limit, type ToolContext, workspace } from '../tool.ts';

const GROUPS = ['day', 'model', 'session', 'branch', 'workspace'] as const;
type Group = (typeof GROUPS)[number];
type UsageRow = UsageReport['rows'][number];

export const cost = defineTool({
  name: 'cost',
  title: 'Token usage and cost',
  description: `Token usage and cost in dollars of past Claude Code sessions, at list prices. Use it when the user asks what something cost. Returns the total and one row per day, model, session, branch or workspace: days newest first, everything else most expensive first.`,
  input: {
    by: z.enum(GROUPS).default('day').describe('What to group by (default day).'),
    after: date.describe('Usage at this time or later: today, 7d, 2026-11-01.'),
    before: date.describe('Usage before this time.'),
    workspace,
    limit: limit(100, 15),
    cursor,
  },
  run: async ({ by, after, before, workspace: asked, ...page }, context) => {
    const { get, scope, zone } = context;
    const query = { by: [by], after, before, zone, ...(await scope.filter(asked)) };
    const { total, rows } = await get('/usage', { query });
    const place = await scope.describe(asked);
    if (rows.length === 0) return { text: `No usage in ${place} in this period.` };
    const sorted = rows.toSorted((a, b) => (by === 'day' ? compare(nameOf(b, by), nameOf(a, by)) : costlier(a, b, by)));
    const { page: shown, nextCursor } = cutRows(sorted, page);
    const names = await Promise.all(shown.map((row) => labelOf(nameOf(row, by), by, context)));
    const lines = shown.map((row, at) => `${names[at]}: ${figures(row)}`);
    const unpriced =
      total.unpriced_messages === 0
        ? []
        : [`Not included: ${plural(total.unpriced_messages, 'message')} of models without a known price.`];
    const head = `Total of ${place}: ${figures(total)}.`;
    return { text: [head, ...unpriced, '', `By ${by}:`, ...lines].join('\n'), nextCursor };
  },
});

function nameOf(row: UsageRow, by: Group): string {
  return row.group[by] ?? '';
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

function costlier(a: UsageRow, b: UsageRow, by: Group): number {
  return b.cost_nanos - a.cost_nanos || compare(nameOf(a, by), nameOf(b, by));
}

function figures(sums: UsageReport['total']): string {
  return joinFacts(
    formatNanos(sums.cost_nanos),
    compactPlural(allTokens(sums), 'token'),
    `${formatCompact(sums.tokens_out)} of them output`,
  );
}

/** Sessions are grouped by id, which says little. */
async function labelOf(key: string, by: Group, { get }: ToolContext): Promise<string> {
  if (key === '') return by === 'day' ? 'undated' : `no ${by}`;
  if (by !== 'session') return key;
  return `session ${key} (${titleLine(await get('/sessions/:id', { params: { id: key } }))})`;
}
