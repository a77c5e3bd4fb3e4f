import type { ByteRange, OpenedFile } from '../app/data-source.ts';
import { FuelError } from '../domain/errors.ts';
import { imageTypeOf } from '../domain/image-type.ts';
import { archivedName } from '../reading/names.ts';
import { errorAnswer } from './errors.ts';
import type { RequestContext } from './route.ts';
import { DOWNLOAD_POLICY } from './security.ts';
import type { Slots } from './slots.ts';

/** H12: sends the whole file or one requested range as a download; bad_range with the size for a range outside of it. */
export function sendFile(context: RequestContext, file: OpenedFile): Response {
  const etag = `"${file.tag}"`;
  const { sizeBytes } = file;
  const range = parseRange(wantedRange(context, etag), sizeBytes);
  const { from, to } = range ?? { from: 0, to: sizeBytes };
  if (range !== null && from >= to) {
    const error = new FuelError('bad_range', `The file has ${sizeBytes} bytes; the requested range is outside it.`);
    return errorAnswer(context, error, { 'content-range': `bytes */${sizeBytes}` });
  }
  const headers = {
    'content-type': file.path.endsWith('.jsonl') ? 'application/x-ndjson' : 'application/octet-stream',
    ...downloadHeaders(archivedName(file.path)),
    'content-length': String(to - from),
    'accept-ranges': 'bytes',
    etag,
    ...(range === null ? {} : { 'content-range': `bytes ${from}-${to - 1}/${sizeBytes}` }),
  };
  return sendStream(context, headers, () => toStream(file.read({ from, to })), range === null ? 200 : 206);
}

/** Only GET has ranges, and only of the version that the client knows. */
function wantedRange({ req }: RequestContext, etag: string): string | undefined {
  const ifRange = req.header('if-range');
  return req.method === 'GET' && (ifRange === undefined || ifRange === etag) ? req.header('range') : undefined;
}

/** Null for the whole file: no range, several ranges, or another unit. Empty if it is outside of the file. */
function parseRange(header: string | undefined, sizeBytes: number): ByteRange | null {
  const match = /^bytes=(\d{0,15})-(\d{0,15})$/i.exec(header?.trim() ?? '');
  if (match === null || (match[1] === '' && match[2] === '')) return null;
  const [, first = '', last = ''] = match;
  const from = first === '' ? Math.max(0, sizeBytes - Number(last)) : Number(first);
  const to = first === '' || last === '' ? sizeBytes : Math.min(Number(last) + 1, sizeBytes);
  return { from, to };
}

const NEWLINE = new Uint8Array([0x0a]);

/** The lines of one message as a download. */
export function sendLines(context: RequestContext, lines: readonly Uint8Array[]): Response {
  const bytes = Buffer.concat(lines.flatMap((line) => [line, NEWLINE]));
  const headers = { 'content-type': 'application/x-ndjson', ...downloadHeaders('message.jsonl') };
  return context.body(new Uint8Array(bytes), 200, headers);
}

/** H12: what an image is, is decided by its bytes; anything that is not one of these images is only saved. */
export function sendMedia(context: RequestContext, bytes: Uint8Array): Response {
  const type = imageTypeOf(bytes);
  const headers: Record<string, string> =
    type === null
      ? { 'content-type': 'application/octet-stream', ...downloadHeaders('document') }
      : { 'content-type': type, 'content-security-policy': DOWNLOAD_POLICY };
  return context.body(new Uint8Array(bytes), 200, headers);
}

/** H12, H22: browsers save the file and never display it. */
function downloadHeaders(name: string): Readonly<Record<string, string>> {
  return {
    'content-disposition': `attachment; filename*=UTF-8''${encodeName(name)}`,
    'content-security-policy': DOWNLOAD_POLICY,
  };
}

/** RFC 5987, so that no name can end the header or start another. */
function encodeName(name: string): string {
  return encodeURIComponent(name.toWellFormed()).replaceAll(
    /['()*!]/g,
    (char) => `%${char.charCodeAt(0).toString(16)}`,
  );
}

/**
 * An answer whose body is produced while it is sent. HEAD has no body: nobody would read it, so nothing that it holds
 * would be released.
 */
export function sendStream(
  context: RequestContext,
  headers: Readonly<Record<string, string>>,
  open: () => ReadableStream<Uint8Array<ArrayBuffer>>,
  status: 200 | 206 = 200,
): Response {
  return context.newResponse(context.req.method === 'HEAD' ? null : open(), status, headers);
}

export function toStream(pieces: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller) {
      const { done, value } = await pieces.next();
      if (done === true) controller.close();
      else controller.enqueue(new Uint8Array(value));
    },
    cancel: async () => void (await pieces.return(undefined)),
  });
}

/** Sends texts as a download, each produced only when the client can receive it. Errors: rate_limited. */
export function sendExport(
  context: RequestContext,
  slots: Slots,
  { name, type, texts }: { readonly name: string; readonly type: string; readonly texts: AsyncIterable<string> },
): Response {
  const headers = { 'content-type': type, ...downloadHeaders(name) };
  return sendStream(context, headers, () => toStream(encode(texts, slots.take())));
}

async function* encode(texts: AsyncIterable<string>, onEnd: () => void): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  try {
    for await (const text of texts) if (text !== '') yield encoder.encode(text);
  } finally {
    onEnd();
  }
}
