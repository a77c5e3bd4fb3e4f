import { readGeneration } from '../archive/archive-bytes.ts';
import type { BlobStore } from '../domain/ports.ts';
import { loadSourceFile } from '../store/queries/archive/archive.ts';
import { keepNarrated } from '../store/queries/summaries/summaries.ts';
import {
  findSessionsOfPlan,
  findStaleDocumentFiles,
  type NewDocument,
  type StaleDocumentFile,
  saveDocuments,
} from '../store/queries/transcript/documents.ts';
import { NARRATIVE_VERSION } from '../summary/narrate.ts';
import { readHistory, readPlan, readTask, readTodos } from '../transcript/side/small-files.ts';
import { isUnavailable } from './claimed-session.ts';
import { refreshIndexedTexts } from './index-session.ts';
import { type MaskingDeps, maskOfShared, masksOf } from './masking.ts';

interface SyncDeps extends MaskingDeps {
  readonly blobs: BlobStore;
  readonly signal: AbortSignal;
}

/**
 * Stores the texts of archived files beside the transcripts and reindexes their sessions. Due files are derived from
 * the stored state, so a crash or a rebuild loses nothing.
 */
export async function syncDocuments(deps: SyncDeps, onFailure: (path: string, error: unknown) => void): Promise<void> {
  const touched = new Set<string>();
  let lastId = '';
  for (;;) {
    const files = await findStaleDocumentFiles(deps.engine.kysely, lastId);
    if (files.length === 0) break;
    for (const file of files) {
      if (deps.signal.aborted) return reindex(deps, [...touched]);
      lastId = file.id;
      for (const sessionId of await tryFile(deps, file, onFailure)) touched.add(sessionId);
    }
  }
  await reindex(deps, [...touched]);
}

const SESSIONS_AT_ONCE = 50;

/** A session without its narrative is reindexed when it gets that. */
async function reindex({ engine }: SyncDeps, touched: readonly string[]): Promise<void> {
  for (let at = 0; at < touched.length; at += SESSIONS_AT_ONCE) {
    const some = touched.slice(at, at + SESSIONS_AT_ONCE);
    await refreshIndexedTexts(engine, await keepNarrated(engine.kysely, some, NARRATIVE_VERSION));
  }
}

/** A file that cannot be read is named in the report and retried with the next import. */
async function tryFile(
  deps: SyncDeps,
  file: StaleDocumentFile,
  onFailure: (path: string, error: unknown) => void,
): Promise<readonly string[]> {
  try {
    return await storeFile(deps, file);
  } catch (error) {
    if (isUnavailable(error)) throw error;
    onFailure(file.path, error);
    return [];
  }
}

/** Returns the sessions whose texts have changed. */
async function storeFile(deps: SyncDeps, stale: StaleDocumentFile): Promise<readonly string[]> {
  const { engine, blobs } = deps;
  const source = await loadSourceFile(engine.kysely, stale.id);
  if (source === null) return [];
  // Only the history grows for years; other files are small and read completely.
  const file = stale.kind === 'history' ? stale : { ...stale, read_bytes: 0 };
  const parts = await Array.fromAsync(readGeneration({ engine, blobs }, source, file.read_bytes));
  const bytes = Buffer.concat(parts);
  const { documents: found, usedBytes } = documentsOf(file, bytes);
  const documents = await maskDocuments(deps, found);
  await engine.transaction((tx) => saveDocuments(engine, tx, file, documents, file.read_bytes + usedBytes));
  if (file.kind !== 'plan') return [...new Set(documents.flatMap(({ sessionId }) => sessionId ?? []))];
  return findSessionsOfPlan(engine.kysely, file.device_id, readPlan('', file.path).value.slug);
}

async function maskDocuments(deps: SyncDeps, documents: readonly NewDocument[]): Promise<readonly NewDocument[]> {
  const own = await masksOf(
    deps,
    documents.flatMap(({ sessionId }) => sessionId ?? []),
  );
  const shared = documents.some(({ sessionId }) => sessionId === null) ? await maskOfShared(deps) : null;
  return documents.map((document) => {
    const { sessionId, title, text } = document;
    const mask = sessionId === null ? shared : own.get(sessionId);
    return mask ? { ...document, title: title && mask.text(title), text: mask.text(text) } : document;
  });
}

interface Documents {
  readonly documents: readonly NewDocument[];
  readonly usedBytes: number;
}

function documentsOf(file: StaleDocumentFile, bytes: Buffer): Documents {
  if (file.kind === 'history') return historyOf(file, bytes);
  const document = documentOf(file, bytes);
  return { documents: document === null || document.text.trim() === '' ? [] : [document], usedBytes: bytes.length };
}

function documentOf({ kind, path, session_id }: StaleDocumentFile, bytes: Buffer): NewDocument | null {
  const about = { entry: 0, sessionId: session_id, title: null, timestamp: null };
  if (kind === 'plan') {
    const { title, text } = readPlan(bytes, path).value;
    return { ...about, kind: 'plan', title, text };
  }
  if (kind === 'session_file') return { ...about, kind: 'memory', text: bytes.toString('utf8') };
  if (path.startsWith('todos/')) {
    const lines = readTodos(bytes).value.map(({ content, status }) => `[${status ?? 'pending'}] ${content}`);
    return { ...about, kind: 'todo', text: lines.join('\n') };
  }
  const task = readTask(
    bytes,
    path
      .split('/')
      .at(-1)
      ?.replace(/\.json$/, '') ?? '',
  ).value;
  if (task === null) return null;
  const lines = [`[${task.status ?? 'pending'}] ${task.subject ?? `Task ${task.id}`}`, task.description ?? ''];
  return { ...about, kind: 'task', title: task.subject, text: lines.filter((line) => line !== '').join('\n') };
}

const NEWLINE = 0x0a;

/** Prompts as typed, one per line; an incomplete last line is read next time. */
function historyOf({ read_bytes }: StaleDocumentFile, bytes: Buffer): Documents {
  const usedBytes = bytes.lastIndexOf(NEWLINE) + 1;
  const documents = readHistory(bytes.subarray(0, usedBytes)).value.flatMap((entry, at): NewDocument[] => {
    const { display, sessionId, timestampMs, pasted } = entry;
    if (sessionId === null) return [];
    const text = [display, ...pasted.flatMap(({ content }) => content ?? [])].join('\n');
    const timestamp = timestampMs === null ? null : timeOf(timestampMs);
    return [{ entry: read_bytes + at, kind: 'history', sessionId, title: null, text, timestamp }];
  });
  return { documents, usedBytes };
}

function timeOf(ms: number): string | null {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? null : date.toISOString();
}
