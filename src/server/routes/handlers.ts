import { FOREIGN_MARK, follow, parseMark } from '../../app/live.ts';
import { FuelError } from '../../domain/errors.ts';
import type { ExportFormat } from '../../domain/requests.ts';
import { proofOf } from '../auth.ts';
import { sendExport, sendFile, sendLines, sendMedia, sendStream } from '../downloads.ts';
import { eventStream } from '../event-stream.ts';
import { MAX_REPORT_ROWS, STREAM_HEARTBEAT_MS } from '../limits.ts';
import type { Handlers } from '../route.ts';
import { hostOf, originOf } from '../security.ts';
import { withSlot } from '../slots.ts';

/** Routes that do more than run a query or a command. */
export const handlers = {
  'GET /health': async ({ query: { nonce, device_token }, context }, { token, tokens, version }) => {
    if (nonce === undefined) return { status: 'ok', version };
    const known = device_token === undefined ? null : ((await tokens?.find(device_token)) ?? null);
    // Only the hash of a device token is stored, so that is what both sides prove to know.
    const secret = known === null || known.isRevoked ? token : known.sha256;
    return { status: 'ok', version, proof: proofOf(secret, { nonce, host: hostOf(context) }) };
  },
  'GET /ready': async (_, { data }) => {
    // This route is open, so details go to the log only.
    await data.ping().catch((cause: unknown) => {
      throw new FuelError('store_unavailable', 'The database is not responding.', { cause });
    });
    return { status: 'ready' };
  },
  'GET /openapi.json': (_, { openApi }) => openApi() as Record<string, unknown>,
  'GET /metrics': async ({ context }, { data, metrics, streamSlots, version }) =>
    context.text(metrics.render({ status: await data.get('/status'), liveStreams: streamSlots.taken(), version })),
  'POST /demo': async (_, { demo }) => {
    await demo.open();
    return { ok: true };
  },

  'GET /sessions/:id/transcript/raw': async ({ params, query, context }, { data }) =>
    sendFile(context, await data.openFile(params.id, query.file)),

  'GET /sessions/:id/messages/:message_id/raw': async ({ params, context }, { data }) =>
    sendLines(context, await data.readRawMessage(params.id, params.message_id)),

  'GET /sessions/:id/messages/:message_id/blocks/:block_order/bytes': async ({ params, query, context }, { data }) => {
    const blockOrder = Number(/^\d{1,9}$/.exec(params.block_order)?.[0] ?? -1);
    return sendMedia(
      context,
      await data.readMedia(params.id, { messageId: params.message_id, blockOrder, part: query.part }),
    );
  },

  'GET /sessions/:id/export': async ({ params, query, context }, { data, exportSlots }) => {
    const { fileName: name, texts } = await data.exportSession(params.id, query);
    return sendExport(context, exportSlots, { name, type: EXPORT_TYPES[query.format], texts });
  },

  'GET /sessions/:id/shares/preview': (input, { data, exportSlots }) =>
    withSlot(exportSlots, () => data.queries['GET /sessions/:id/shares/preview'](input)),

  'POST /sessions/:id/shares': async (input, { commands, exportSlots }) => {
    const share = await withSlot(exportSlots, () => commands['POST /sessions/:id/shares'](input));
    return { ...share, url: originOf(input.context) + share.path };
  },

  'GET /usage': async (input, { data }) => ensureShort(await data.queries['GET /usage'](input)),
  'GET /cost': async (input, { data }) => ensureShort(await data.queries['GET /cost'](input)),

  'GET /live': async ({ query, context }, { data, streamSlots, closing }) => {
    const lastId = context.req.header('last-event-id') ?? query.last_event_id;
    const session =
      query.session_id === undefined ? null : await data.get('/sessions/:id', { params: { id: query.session_id } });
    const open = () => {
      const stop = new AbortController();
      const release = streamSlots.take();
      const events = follow(data.live, {
        lastSeen: lastId === undefined ? null : (parseMark(lastId) ?? FOREIGN_MARK),
        sessionId: session?.id ?? null,
        signal: AbortSignal.any([stop.signal, closing]),
        heartbeatMs: STREAM_HEARTBEAT_MS,
        every: query.every,
      });
      return eventStream(events, { stop, onEnd: release });
    };
    return sendStream(context, { 'content-type': 'text/event-stream' }, open);
  },
} satisfies Partial<Handlers>;

const EXPORT_TYPES: Readonly<Record<ExportFormat, string>> = {
  md: 'text/markdown; charset=utf-8',
  html: 'text/html; charset=utf-8',
  csv: 'text/csv; charset=utf-8',
  json: 'application/json',
  parsed: 'application/json',
};

/** Errors: too_large. */
function ensureShort<R extends { readonly rows: readonly unknown[] }>(report: R): R {
  if (report.rows.length <= MAX_REPORT_ROWS) return report;
  throw new FuelError('too_large', `The report has ${report.rows.length} rows; the limit is ${MAX_REPORT_ROWS}.`, {
    hint: 'Request a shorter period, or group by fewer keys.',
  });
}
