import { createReadStream } from 'node:fs';
import { errnoOf } from '../../domain/errors.ts';
import {
  createComparison,
  identityOf,
  NO_SIGNS,
  type SessionSigns,
  type SharedMessage,
  toShared,
} from '../../domain/ownership.ts';
import type { ParsedSession } from '../../domain/transcript.ts';
import { NO_LINEAGE } from '../../domain/transcript-structure.ts';
import type { Tx } from '../../store/engine.ts';
import { loadFamilyMessages, loadHoldersBeyond, loadSigns } from '../../store/queries/lineage/settle-families.ts';
import { createParser } from '../../transcript/parser.ts';
import type { SessionJudge } from '../../transcript/scan/api-messages.ts';
import { type RowColumns, rowCount, rowReader } from '../../transcript/scan/usage-rows.ts';
import { findSharing } from '../../transcript/scan/usage-totals.ts';
import type { ScannedFile } from './usage-scan.ts';

export interface JudgeDeps {
  readonly files: readonly ScannedFile[];
  /** Null before the first import. */
  readonly db: Tx | null;
}

/** What is known about sessions that share messages. */
interface Trace {
  readonly messages: readonly SharedMessage[];
  readonly signs: ReadonlyMap<string, SessionSigns>;
}

/**
 * Decides which of several sessions a shared message belongs to, with the same comparison of all lines as the import, so
 * that usage by session is the same before and after it. Only sessions that share messages are read in full.
 */
export async function createJudge(parts: readonly RowColumns[], deps: JudgeDeps): Promise<SessionJudge> {
  const scanned = holdersIn(parts);
  const beyond = deps.db === null ? [] : await loadHoldersBeyond(deps.db, sessionsIn(parts));
  const shared = beyond.filter(({ usage_key }) => scanned.has(usage_key));
  const onDisk = new Set([
    ...findSharing(parts),
    ...shared.flatMap(({ usage_key }) => [...(scanned.get(usage_key) ?? [])]),
  ]);
  const inStore = new Set(shared.map(({ session_id }) => session_id));
  const fromFiles = await traceFiles(deps, onDisk);
  const fromStore = await traceStore(deps.db, [...inStore], [...onDisk]);
  const messages = [...fromFiles.messages, ...fromStore.messages];
  const signs = new Map([
    ...fromFiles.signs,
    ...[...fromStore.signs].map(
      ([id, known]) => [id, { ...known, leadMs: fromFiles.signs.get(id)?.leadMs ?? known.leadMs }] as const,
    ),
  ]);
  const marked = markedIn(messages);
  const stored = Map.groupBy(shared, ({ usage_key }) => usage_key);
  return {
    compare: createComparison(messages, signs),
    holdersBeyond: (id) => stored.get(id)?.map(({ session_id }) => session_id) ?? [],
    isInherited: (sessionId, id) => marked.get(`${sessionId} ${id}`) ?? false,
  };
}

function holdersIn(parts: readonly RowColumns[]): ReadonlyMap<string, ReadonlySet<string>> {
  const holders = new Map<string, Set<string>>();
  for (const columns of parts) {
    const rowAt = rowReader(columns);
    for (let index = 0; index < rowCount(columns); index += 1) {
      const { id, sessionId } = rowAt(index);
      const known = holders.get(id);
      if (known === undefined) holders.set(id, new Set([sessionId]));
      else known.add(sessionId);
    }
  }
  return holders;
}

function sessionsIn(parts: readonly RowColumns[]): ReadonlySet<string> {
  return new Set(parts.flatMap(({ sessions }) => sessions));
}

/** By session and message: whether all its lines are marked as copied from another session. */
function markedIn(messages: readonly SharedMessage[]): ReadonlyMap<string, boolean> {
  const marked = new Map<string, boolean>();
  for (const message of messages) {
    const key = `${message.sessionId} ${identityOf(message)}`;
    marked.set(key, message.isInherited && (marked.get(key) ?? true));
  }
  return marked;
}

async function traceFiles({ files }: JudgeDeps, sessions: ReadonlySet<string>): Promise<Trace> {
  const bySession = Map.groupBy(files, ({ sessionId }) => sessionId);
  const messages: SharedMessage[] = [];
  const signs = new Map<string, SessionSigns>();
  for (const id of sessions) {
    const session = await readSession(id, bySession.get(id) ?? []);
    for (const message of session.messages) messages.push(toShared(id, message));
    signs.set(id, { ...NO_SIGNS, leadMs: session.origins.leadMs });
  }
  return { messages, signs };
}

async function readSession(sessionId: string, all: readonly ScannedFile[]): Promise<ParsedSession> {
  const files = [...all.filter(({ agentId }) => agentId === null), ...all.filter(({ agentId }) => agentId !== null)];
  const heads = files.map(({ path, agentId }) => {
    return { role: agentId === null ? 'main' : 'agent', agentId, name: path } as const;
  });
  const parser = createParser(sessionId, heads, { block: () => {} }, { lineage: NO_LINEAGE });
  for (const [index, { absolutePath }] of files.entries()) {
    const path = typeof absolutePath === 'string' ? absolutePath : Buffer.from(absolutePath);
    try {
      for await (const chunk of createReadStream(path)) parser.push(index, chunk as Uint8Array);
    } catch (error) {
      // Deleted since it was scanned; the rest of the session is enough.
      if (errnoOf(error) !== 'ENOENT') throw error;
    }
    parser.endFile(index);
  }
  return parser.finish();
}

/** Sessions that were not scanned, and stored facts about those that were. */
async function traceStore(db: Tx | null, unscanned: readonly string[], scanned: readonly string[]): Promise<Trace> {
  if (db === null) return { messages: [], signs: new Map() };
  const messages = unscanned.length === 0 ? [] : await loadFamilyMessages(db, unscanned);
  return { messages, signs: await loadSigns(db, [...unscanned, ...scanned]) };
}
