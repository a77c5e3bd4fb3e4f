import { STALL_MS } from '../limits.ts';
import type { LiveEvent, Mark } from '../../app/live.ts';

export function formatMark({ epoch, seq }: Mark): string {
  return `${epoch}-${seq}`;
}

/** Null for an id that is not one of ours. */
export function parseMark(text: string): Mark | null {
  const match = /^([0-9a-f]{8})-(\d{1,15})$/.exec(text);
  return match === null ? null : { epoch: match[1] ?? '', seq: Number(match[2]) };
}

/** One event as the format of Server-Sent Events has it; JSON has no line breaks of its own. */
function formatEvent(event: LiveEvent): string {
  if (event.type === 'still_here') return ': still here\n\n';
  const id = event.mark === null ? '' : `id: ${formatMark(event.mark)}\n`;
  return `${id}event: ${event.type}\ndata: ${JSON.stringify(event.data)}\n\n`;
}

export interface EventStreamOptions {
  readonly stop: AbortController;
  readonly onEnd: () => void;
  readonly stallMs?: number;
}

/**
 * A body that takes the next event only when the reader has room. A reader that takes nothing for a minute is let go:
 * it comes back with the id of its last event.
 */
export function eventStream(
  events: AsyncGenerator<LiveEvent>,
  { stop, onEnd, stallMs = STALL_MS }: EventStreamOptions,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const encoder = new TextEncoder();
  let stalled: NodeJS.Timeout | undefined;
  const end = async () => {
    clearTimeout(stalled);
    stop.abort();
    await events.return(undefined);
    onEnd();
  };
  return new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      async pull(controller) {
        clearTimeout(stalled);
        const { done, value } = await events.next();
        if (done === true) {
          controller.close();
          return onEnd();
        }
        controller.enqueue(encoder.encode(formatEvent(value)));
        stalled = setTimeout(() => {
          controller.error(new Error('The client stopped reading.'));
          void end();
        }, stallMs);
      },
      cancel: end,
    },
    { highWaterMark: 1 },
  );
}
