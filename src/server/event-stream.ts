import { formatMark, type LiveEvent } from '../app/live.ts';
import { STALL_MS } from './limits.ts';

/** Formats a server-sent event; JSON contains no line breaks. */
function formatEvent(event: LiveEvent): string {
  if (event.type === 'heartbeat') return ': still here\n\n';
  const id = event.mark === null ? '' : `id: ${formatMark(event.mark)}\n`;
  return `${id}event: ${event.type}\ndata: ${JSON.stringify(event.data)}\n\n`;
}

interface EventStreamOptions {
  readonly stop: AbortController;
  readonly onEnd: () => void;
  readonly stallMs?: number;
}

/**
 * A response body that produces the next event only when the client can receive it. A client that reads nothing for a
 * minute is disconnected; it can reconnect with the id of its last event.
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
        const { done, value } = await events.next().catch(async (error: unknown) => {
          await end();
          throw error;
        });
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
