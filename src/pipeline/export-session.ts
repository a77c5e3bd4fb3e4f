import { readGeneration } from '../archive/archive-bytes.ts';
import { currentSessionFiles } from '../archive/moved-files.ts';
import type { BlobStore } from '../domain/ports.ts';
import type { JsonObject, JsonValue, ParsedSession } from '../domain/transcript.ts';
import { createParser } from '../transcript/parser.ts';
import { type MaskingDeps, maskOf } from './masking.ts';
import { inParseOrder, readMetas, toHead } from './session-files.ts';
import type { UnderstandDeps } from './understand-session.ts';

export interface ExportDeps extends MaskingDeps {
  readonly blobs: BlobStore;
  readonly price: UnderstandDeps['price'];
}

/**
 * The complete parse of a session as one JSON object, read from the archived bytes: nothing is truncated, and the
 * stored rows are not used. All text passes through `redact`. Blocks come first, one per line, as they are read, so
 * memory stays bounded.
 */
export async function* exportSession(
  deps: ExportDeps,
  sessionId: string,
  redact: (value: JsonValue) => JsonValue,
): AsyncGenerator<string> {
  const { engine, blobs, price } = deps;
  const all = await currentSessionFiles(deps, sessionId);
  const mask = await maskOf(deps, sessionId);
  const metas = await readMetas((file) => readGeneration(deps, file), all, mask);
  const files = inParseOrder(all);
  const heads = files.map((file) => toHead(file, metas));
  let blocks = '';
  let separator = '';
  const block = (value: object) => {
    blocks += `${separator}\n${JSON.stringify(redact(value as JsonObject))}`;
    separator = ',';
  };
  const take = () => {
    const taken = blocks;
    blocks = '';
    return taken;
  };
  const masking = mask === null ? {} : { mask: mask.record };
  const parser = createParser(sessionId, heads, { block }, { price, ...masking });
  yield '{"blocks":[';
  for (const [index, file] of files.entries()) {
    for await (const bytes of readGeneration({ engine, blobs }, file)) {
      parser.push(index, bytes);
      yield take();
    }
    parser.endFile(index);
  }
  const session = parser.finish();
  yield `${take()}\n],"session":${JSON.stringify(redact(toJson(session)))}}\n`;
}

function toJson({ anomalies, ...session }: ParsedSession): JsonObject {
  return { ...session, anomalies: Object.fromEntries(anomalies) } as unknown as JsonObject;
}
