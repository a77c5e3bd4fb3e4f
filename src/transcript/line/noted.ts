import { placeLine } from '../graph/place-line.ts';
import { NODE_KINDS } from '../graph/uuid-table.ts';
import type { LineContext } from './context.ts';

/** A line that adds nothing but its place in the chain; its bytes stay in the archive. */
export function readNotedLine(context: LineContext): void {
  placeLine(context, NODE_KINDS.other);
}
