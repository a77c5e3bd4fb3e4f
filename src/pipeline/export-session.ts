import type { BlobStore } from '../domain/ports.ts';
import type { ParsedSession } from '../domain/transcript.ts';
import { readGeneration } from '../ingest/archive-bytes.ts';
import { currentSessionFiles } from '../ingest/moved-files.ts';
import type { Engine } from '../store/engine.ts';
import { createParser } from '../transcript/parser.ts';
import { inParseOrder, readMetas, toHead } from './session-files.ts';
import type { UnderstandDeps } from './understand-session.ts';

export interface ExportDeps {
  readonly engine: Engine;
  readonly blobs: BlobStore;
  readonly price: UnderstandDeps['price'];
}

/**
 * The whole parse of a session as one JSON object, straight from the archived bytes: nothing is cut, nothing is asked of
 * the rows. Blocks come first, one a line, as they are read; memory stays bounded.
 */
export async function* exportSession(deps: ExportDeps, sessionId: string): AsyncGenerator<string> {
  const { engine, blobs, price } = deps;
  const all = await currentSessionFiles(deps, sessionId);
  const metas = await readMetas(deps, all);
  const files = inParseOrder(all);
  const heads = files.map((file) => toHead(file, metas));
  let blocks = '';
  let separator = '';
  const block = (value: object) => {
    blocks += `${separator}\n${JSON.stringify(value)}`;
    separator = ',';
  };
  const take = () => {
    const taken = blocks;
    blocks = '';
    return taken;
  };
  const parser = createParser(sessionId, heads, { block }, { price });
  yield '{"blocks":[';
  for (const [index, file] of files.entries()) {
    for await (const bytes of readGeneration(engine, blobs, file)) {
      parser.push(index, bytes);
      yield take();
    }
    parser.endFile(index);
  }
  const session = parser.finish();
  yield `${take()}\n],"session":${JSON.stringify(toJson(session))}}\n`;
}

function toJson({ anomalies, ...session }: ParsedSession): object {
  return { ...session, anomalies: Object.fromEntries(anomalies) };
}
