import type { BlobStore } from '../domain/ports.ts';
import type { JsonValue, TranscriptSource } from '../domain/transcript.ts';
import { readGeneration } from '../archive/archive-bytes.ts';
import type { Engine } from '../store/engine.ts';
import type { SourceFile } from '../store/queries/archive/archive.ts';

/** Main files first, then those of sub-agents. */
export function inParseOrder(files: readonly SourceFile[]): readonly SourceFile[] {
  return [...files.filter(({ kind }) => kind === 'main'), ...files.filter(({ kind }) => kind === 'agent')];
}

export function toHead(file: SourceFile, metas: ReadonlyMap<string, JsonValue>): Omit<TranscriptSource, 'bytes'> {
  const meta = metas.get(file.path.replace(/\.jsonl$/, ''));
  return {
    role: file.kind === 'main' ? 'main' : 'agent',
    agentId: file.agentId,
    name: file.path,
    ...(meta === undefined ? {} : { meta }),
  };
}

/** The contents of the meta files of sub-agents, by transcript path without its extension. */
export async function readMetas(
  { engine, blobs }: { readonly engine: Engine; readonly blobs: BlobStore },
  files: readonly SourceFile[],
): Promise<ReadonlyMap<string, JsonValue>> {
  const metas = new Map<string, JsonValue>();
  for (const file of files.filter(({ kind }) => kind === 'agent_meta')) {
    const parts = await Array.fromAsync(readGeneration(engine, blobs, file));
    const value = parseJson(Buffer.concat(parts).toString('utf8'));
    if (value !== undefined) metas.set(file.path.replace(/\.meta\.json$/, ''), value);
  }
  return metas;
}

/** An incomplete or damaged meta file is ignored; the lines of the agent are still read. */
function parseJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}
