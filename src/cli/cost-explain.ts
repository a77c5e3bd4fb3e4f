import { type CostExplanation, explainCost } from '../app/cost/explain.ts';
import type { CostQuery } from '../domain/cost.ts';
import { dollars } from '../domain/usage.ts';
import { wrapWidth } from '../lib/text-width.ts';
import { visibleLine } from '../lib/visible.ts';
import { formatCost, plural } from '../reading/format.ts';
import type { CommandContext } from './command.ts';
import type { Terminal } from './terminal.ts';

export function loadExplanation({ loaded }: CommandContext, query: CostQuery): Promise<CostExplanation> {
  return explainCost(query, loaded.config);
}

/** The price used for each model, how messages were counted, and the difference from the client's own figures. */
export function renderExplanation(terminal: Terminal, explanation: CostExplanation): string {
  const lines = [
    'List prices (dollars per million tokens: input, output, cache read, cache write 5 min, cache write 1 h):',
    ...explanation.rates.map(rateLine),
    ...explanation.rules,
    ...lineCostNote(explanation),
  ];
  return `\n${lines.map((line) => wrapWidth(visibleLine(line), terminal.columns)).join('\n')}\n`;
}

function rateLine({ model, rate_id, messages, cost_nanos, per_million_usd }: CostExplanation['rates'][number]): string {
  const name = model === '' ? '(no model)' : model;
  const count = plural(messages, 'message');
  if (per_million_usd === null) return `  ${name}: no list price; ${count}, not included in the cost`;
  const applied = rate_id === name ? '' : ` by ${rate_id}`;
  return `  ${name}${applied}: ${per_million_usd.join(' / ')}; ${count}, ${formatCost(dollars(cost_nanos))}`;
}

function lineCostNote({ line_costs }: CostExplanation): readonly string[] {
  if (line_costs === null) return [];
  const { sessions, client_cost_nanos, our_cost_nanos } = line_costs;
  const difference = dollars(our_cost_nanos - client_cost_nanos);
  const sign = difference < 0 ? '−' : '+';
  return [
    `Cost reported by old clients (costUSD): ${formatCost(dollars(client_cost_nanos))} in ${sessions} ${sessions === 1 ? 'session' : 'sessions'}; calculated by fuel-code: ${formatCost(dollars(our_cost_nanos))} (${sign}${formatCost(Math.abs(difference))}).`,
  ];
}
