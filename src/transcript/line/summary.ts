import { emitText } from '../assemble/blocks.ts';
import { openMessage } from '../assemble/messages.ts';
import { placeLine } from '../graph/place-line.ts';
import { NODE_KINDS } from '../graph/uuid-table.ts';
import { asText } from '../read/json.ts';
import type { LineContext } from './context.ts';

/** A summary line (until 2.1.29): a title for the conversation that ends in `leafUuid`, often one of another file. */
export function readSummaryLine(context: LineContext): void {
  const { record, state } = context;
  const placement = placeLine(context, NODE_KINDS.other);
  state.facts.summaryLines += 1;
  if (placement.isCopy) return;
  const text = asText(record['summary']);
  const draft = openMessage(context, placement, { messageType: 'summary', role: 'system', origin: 'system' });
  if (text === null) return;
  emitText(context, draft, text);
  state.facts.summaries.push({ text, leafUuid: asText(record['leafUuid']) });
}
