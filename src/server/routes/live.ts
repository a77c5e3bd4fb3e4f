import { STILL_HERE_MS } from '../limits.ts';
import { eventStream, parseMark } from '../live/event-stream.ts';
import { follow } from '../../app/live/follow.ts';
import type { Handlers } from '../route.ts';

/** No epoch is empty: whoever comes with an id that is not ours is told to begin anew. */
const FOREIGN_MARK = { epoch: '', seq: 0 };

export const liveHandlers = {
  'GET /live': async ({ query, context }, { data, streams, closing }) => {
    const lastId = context.req.header('last-event-id') ?? query.last_event_id;
    const sessionId =
      query.session_id === undefined
        ? null
        : (await data.get('/sessions/:id', { params: { id: query.session_id } })).id;
    const stop = new AbortController();
    const leave = streams.enter();
    const events = follow(data.live, {
      lastSeen: lastId === undefined ? null : (parseMark(lastId) ?? FOREIGN_MARK),
      sessionId,
      signal: AbortSignal.any([stop.signal, closing]),
      stillHereMs: STILL_HERE_MS,
    });
    return context.body(eventStream(events, { stop, onEnd: leave }), 200, { 'content-type': 'text/event-stream' });
  },
} satisfies Partial<Handlers>;
