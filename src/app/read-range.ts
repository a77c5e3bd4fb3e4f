import type { FoundInSession, MarkdownOfRange } from '../api/find.ts';
import type { MessageRow } from '../api/transcript.ts';
import { MAX_FOUND_ITEMS } from '../domain/outline.ts';
import type { Clock } from '../domain/ports.ts';
import { entriesOf, separateEntries } from '../reading/entries.ts';
import { placeOf } from '../reading/entry.ts';
import { NO_PARTS } from '../reading/parts.ts';
import { toMarkdown } from '../reading/to-markdown.ts';
import { countHits, entryText } from '../reading/view-text.ts';
import type { Engine, Tx } from '../store/engine.ts';
import { findCandidates, lastOrdinal } from '../store/queries/transcript/find-text.ts';
import { getMessagesAt, getTranscript, MAIN_CONVERSATION } from '../store/queries/transcript/transcript-rows.ts';

/** Reads parts of a conversation as they are shown, to find text in it and to copy it as Markdown. */

interface Deps {
  readonly engine: Engine;
  readonly clock: Clock;
}

/** Messages searched by one statement; a statement blocks the process on SQLite. */
const WINDOW_MESSAGES = 2_000;
/** Messages whose texts are in memory at the same time. */
const BATCH_MESSAGES = 100;
const MAX_FIND_MS = 5_000;
const READING = { parts: NO_PARTS, cwd: null };

/** All items of a session whose shown text contains a text. Stops when the answer or the time is too long. */
export async function findInSession(
  { engine, clock }: Deps,
  tx: Tx,
  sessionId: string,
  wanted: string,
): Promise<FoundInSession> {
  const endMs = clock.monotonicMs() + MAX_FIND_MS;
  const last = await lastOrdinal(tx, sessionId);
  const hits = new Map<string, FoundInSession['hits'][number]>();
  let after = -1;
  while (after < last && hits.size <= MAX_FOUND_ITEMS && clock.monotonicMs() < endMs) {
    const to = after + WINDOW_MESSAGES;
    const candidates = await findCandidates(engine, tx, { sessionId, wanted, after, to });
    for (const hit of await countIn(tx, sessionId, candidates, wanted)) hits.set(`${hit.ordinal}:${hit.block}`, hit);
    after = to;
  }
  const sorted = [...hits.values()].sort((a, b) => a.ordinal - b.ordinal || a.block - b.block);
  const listed = sorted.slice(0, MAX_FOUND_ITEMS);
  return {
    hits: listed,
    total: listed.reduce((sum, { count }) => sum + count, 0),
    is_complete: after >= last && listed.length === sorted.length,
  };
}

async function countIn(tx: Tx, sessionId: string, ordinals: readonly number[], wanted: string) {
  const hits: FoundInSession['hits'][number][] = [];
  for (let at = 0; at < ordinals.length; at += BATCH_MESSAGES) {
    const messages = await withResults(
      tx,
      sessionId,
      await getMessagesAt(tx, sessionId, ordinals.slice(at, at + BATCH_MESSAGES)),
    );
    for (const entry of separateEntries(messages, READING)) {
      const count = countHits(entryText(entry), wanted);
      if (count > 0) hits.push({ ...placeOf(entry), count });
    }
  }
  return hits;
}

/** The messages, and those with the results of their calls. */
async function withResults(tx: Tx, sessionId: string, messages: readonly MessageRow[]): Promise<readonly MessageRow[]> {
  const known = new Set(messages.map(({ ordinal }) => ordinal));
  const results = messages.flatMap(({ content_blocks }) =>
    content_blocks.flatMap(({ call }) => call?.result_ordinal ?? []),
  );
  const missing = [...new Set(results)].filter((ordinal) => !known.has(ordinal));
  return [...messages, ...(await getMessagesAt(tx, sessionId, missing))];
}

interface Range {
  readonly from: number;
  readonly to?: number | undefined;
  readonly agent_id?: string | undefined;
  readonly limit: number;
}

type Messages = readonly MessageRow[];

/**
 * A range of one conversation as Markdown, with the results of its calls even if they come later. `redact` gets the
 * messages before they are written as text, while names still say which values are secret.
 */
export async function readMarkdown(
  tx: Tx,
  { sessionId, ...range }: Range & { readonly sessionId: string },
  redact: (messages: Messages) => Messages = (messages) => messages,
): Promise<MarkdownOfRange> {
  const { from, to, agent_id = MAIN_CONVERSATION, limit } = range;
  const last = to ?? Number.MAX_SAFE_INTEGER;
  const page = await getTranscript(tx, sessionId, { after: from - 1, limit, agent_id: [agent_id] });
  const messages = page.messages.filter(({ ordinal }) => ordinal <= last);
  const shown = new Set(messages.map(({ ordinal }) => ordinal));
  const entries = entriesOf(redact(await withResults(tx, sessionId, messages)), READING);
  const next = page.next_after === null ? null : page.next_after + 1;
  return {
    text: toMarkdown(entries.filter(({ message }) => shown.has(message.ordinal))),
    next_from: next !== null && next <= last ? next : null,
  };
}
