import { basename } from 'node:path';
import type { BlobStore } from '../domain/ports.ts';
import type { ContentBlock } from '../domain/transcript.ts';
import { readGeneration } from '../archive/archive-bytes.ts';
import type { Engine } from '../store/engine.ts';
import type { SourceFile } from '../store/queries/archive/archive.ts';
import { MAX_TEXT_CHARS } from '../store/text.ts';
import { persistedOutputIn } from '../transcript/tool/persisted-output.ts';

/** Maximum bytes of an output that can end up in a row: a character takes at most four. */
const MAX_OUTPUT_BYTES = 4 * MAX_TEXT_CHARS;

/**
 * C27: replaces the notice that an output was saved beside the transcript with the output itself. It is read from our
 * archive, and only from the tool-results folder of this session: a path found in a transcript is never opened.
 */
export function createOutputReader(
  deps: { readonly engine: Engine; readonly blobs: BlobStore },
  files: readonly SourceFile[],
): (blocks: readonly ContentBlock[]) => Promise<readonly ContentBlock[]> {
  const saved = new Map(files.filter(({ kind }) => kind === 'tool_result').map((file) => [basename(file.path), file]));
  const withOutput = async (block: ContentBlock) => {
    const text = block.blockType === 'tool_result' ? block.resultText : null;
    const fileName = text === null ? null : (persistedOutputIn(text)?.fileName ?? null);
    const file = fileName === null ? undefined : saved.get(fileName);
    if (file === undefined) return block;
    const resultText = await readText(deps, file);
    return { ...block, resultText, metadata: { ...block.metadata, persisted_output: fileName } };
  };
  return async (blocks) => (saved.size === 0 ? blocks : Array.fromAsync(blocks, withOutput));
}

async function readText(
  { engine, blobs }: { readonly engine: Engine; readonly blobs: BlobStore },
  file: SourceFile,
): Promise<string> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const bytes of readGeneration(engine, blobs, file)) {
    parts.push(bytes);
    size += bytes.length;
    if (size > MAX_OUTPUT_BYTES) break;
  }
  return Buffer.concat(parts).toString('utf8');
}
