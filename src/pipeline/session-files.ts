import { basename } from 'node:path';
import type { ReadFile } from '../archive/archive-bytes.ts';
import { parseJson } from '../domain/json.ts';
import type { ContentBlock, JsonValue, ParsedSession, TranscriptSource } from '../domain/transcript.ts';
import type { SecretMask } from '../redact/mask-secrets.ts';
import type { SourceFile } from '../store/queries/archive/archive.ts';
import { MAX_TEXT_CHARS } from '../store/text.ts';
import { isPlausibleTime } from '../transcript/assemble/timestamp.ts';
import type { SessionsIndexEntry } from '../transcript/side/small-files.ts';
import { persistedOutputIn } from '../transcript/tool/persisted-output.ts';

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
  read: ReadFile,
  files: readonly SourceFile[],
  mask: SecretMask | null,
): Promise<ReadonlyMap<string, JsonValue>> {
  const metas = new Map<string, JsonValue>();
  for (const file of files.filter(({ kind }) => kind === 'agent_meta')) {
    const parts = await Array.fromAsync(read(file));
    // An incomplete or damaged meta file is ignored; the lines of the agent are still read.
    const value = parseJson(Buffer.concat(parts).toString('utf8'));
    if (value !== undefined) metas.set(file.path.replace(/\.meta\.json$/, ''), mask?.json(value) ?? value);
  }
  return metas;
}

/** `sessions-index.json` of a project folder (about 2.1.20) may contain facts that are missing from the transcript. */
export type SessionListing = Pick<
  SessionsIndexEntry,
  'customTitle' | 'summary' | 'gitBranch' | 'projectPath' | 'created' | 'modified'
>;

/** The transcript takes precedence; the index fills in what is missing. */
export function withListing<T extends ParsedSession>(parsed: T, listing: SessionListing | null): T {
  if (listing === null) return parsed;
  const { facts } = parsed;
  const isUndated = facts.startedAt === null;
  return {
    ...parsed,
    facts: {
      ...facts,
      title: facts.title ?? listing.customTitle ?? listing.summary,
      startedAt: isUndated ? plausible(listing.created) : facts.startedAt,
      endedAt: isUndated ? plausible(listing.modified) : facts.endedAt,
      cwds: facts.cwds.length > 0 || listing.projectPath === null ? facts.cwds : [listing.projectPath],
      gitBranches: facts.gitBranches.length > 0 || !listing.gitBranch ? facts.gitBranches : [listing.gitBranch],
    },
  };
}

function plausible(time: string | null): string | null {
  return time !== null && isPlausibleTime(time) ? time : null;
}

/** Maximum bytes of an output that can end up in a row: a character takes at most four. */
const MAX_OUTPUT_BYTES = 4 * MAX_TEXT_CHARS;

/**
 * C27: replaces the notice that an output was saved beside the transcript with the output itself. It is read from our
 * archive, and only from the tool-results folder of this session: a path found in a transcript is never opened.
 */
export function createOutputReader(
  read: ReadFile,
  files: readonly SourceFile[],
  mask: SecretMask | null,
): (blocks: readonly ContentBlock[]) => Promise<readonly ContentBlock[]> {
  const saved = new Map(files.filter(({ kind }) => kind === 'tool_result').map((file) => [basename(file.path), file]));
  const withOutput = async (block: ContentBlock) => {
    const notice = block.blockType === 'tool_result' ? block.resultText : null;
    const fileName = notice === null ? null : (persistedOutputIn(notice)?.fileName ?? null);
    const file = fileName === null ? undefined : saved.get(fileName);
    if (file === undefined) return block;
    const text = await readText(read, file);
    const resultText = mask?.text(text) ?? text;
    return { ...block, resultText, metadata: { ...block.metadata, persisted_output: fileName } };
  };
  return async (blocks) => (saved.size === 0 ? blocks : Array.fromAsync(blocks, withOutput));
}

async function readText(read: ReadFile, file: SourceFile): Promise<string> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const bytes of read(file)) {
    parts.push(bytes);
    size += bytes.length;
    if (size > MAX_OUTPUT_BYTES) break;
  }
  return Buffer.concat(parts).toString('utf8');
}
