import type { RequestContext } from './route.ts';
import { downloadHeaders, toStream } from './send-file.ts';
import { tooManyExports, type UploadSlots } from './upload-slots.ts';

export interface Export {
  readonly name: string;
  readonly type: string;
  readonly texts: AsyncIterable<string>;
}

/** Texts as a download, each taken only when the reader has room for it. Errors: rate_limited. */
export function sendExport(context: RequestContext, slots: UploadSlots, { name, type, texts }: Export): Response {
  const headers = { 'content-type': type, ...downloadHeaders(name) };
  // The body would never be read, so the slot would never be released.
  if (context.req.method === 'HEAD') return context.body(null, 200, headers);
  if (!slots.take()) throw tooManyExports();
  return context.body(toStream(encode(texts, slots.giveBack)), 200, headers);
}

async function* encode(texts: AsyncIterable<string>, onEnd: () => void): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  try {
    for await (const text of texts) if (text !== '') yield encoder.encode(text);
  } finally {
    onEnd();
  }
}
