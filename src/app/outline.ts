import type { Outline } from '../api/outline.ts';
import { createOutline, type OutlineBuilder } from '../reading/outline.ts';
import { outlineSince } from '../reading/outline-growth.ts';
import type { Engine, Tx } from '../store/engine.ts';
import {
  type KeptParts,
  NO_PARTS,
  type OutlineState,
  readOutlineParts,
  readOutlineState,
} from '../store/queries/transcript/outline-parts.ts';
import { readOutlineMessages } from '../store/queries/transcript/outline-rows.ts';
import { rowsChanged } from '../store/queries/transcript/row-changes.ts';

/** An outline takes about 100 bytes for each item. */
const MAX_KEPT_ITEMS = 600_000;

interface KeptOutline {
  readonly state: OutlineState;
  readonly builder: OutlineBuilder;
  readonly parts: KeptParts;
  readonly outline: Outline;
  /** Followers of a running session request changes since their previous outline. */
  readonly before: EarlierOutline | null;
}

interface EarlierOutline extends Pick<Outline, 'revision' | 'turns' | 'agents' | 'items'> {
  readonly itemCount: number;
  /** Which of its items have changed since; null if that is not known. */
  readonly changed: readonly number[] | null;
}

type OutlineReader = (tx: Tx, sessionId: string, since?: string) => Promise<Outline>;

/**
 * Reads outlines and caches the most recent ones. For a session that has grown, only new rows are read; a reader with a cached
 * earlier outline gets only the changes since.
 */
export function createOutlineReader(engine: Engine): OutlineReader {
  const kept = new Map<string, KeptOutline>();
  const oneAtATime = createQueues();
  return (tx, sessionId, since) =>
    oneAtATime(sessionId, async () => {
      const state = await readOutlineState(tx, sessionId);
      const known = kept.get(sessionId);
      // A snapshot older than the cached one, because another request was faster.
      const isLate = known !== undefined && known.state.rowsVersion > state.rowsVersion;
      // Removed from the cache meanwhile: if reading fails, the builder is incomplete.
      kept.delete(sessionId);
      const current = known?.state.name === state.name ? known : await read({ engine, tx, sessionId }, state, known);
      kept.set(sessionId, isLate ? known : current);
      forgetOldest(kept);
      return answerTo(current, since);
    });
}

/** Columns are extended in place, so every answer gets its own copy. */
function answerTo({ outline, before }: KeptOutline, since: string | undefined): Outline {
  const count = outline.items.ordinal.length;
  const answer = () => {
    if (since === outline.revision) return outlineSince(outline, outline, { kept: count, changed: [] });
    if (before === null || since !== before.revision) return outline;
    if (before.changed === null) return outlineSince(before, outline);
    return outlineSince(before, outline, { kept: Math.min(before.itemCount, count), changed: before.changed });
  };
  const sent = answer();
  return sent.since === null ? { ...sent, items: copyColumns(sent.items) } : sent;
}

function copyColumns(items: Outline['items']): Outline['items'] {
  return Object.fromEntries(
    Object.entries(items).map(([name, column]) => [name, column.slice()]),
  ) as unknown as Outline['items'];
}

interface Source {
  readonly engine: Engine;
  readonly tx: Tx;
  readonly sessionId: string;
}

async function read(
  { engine, tx, sessionId }: Source,
  state: OutlineState,
  known: KeptOutline | undefined,
): Promise<KeptOutline> {
  const changed = known === undefined ? null : rowsChanged(known.state, state);
  const from = changed?.firstMessage ?? 0;
  const builder = from > 0 && known !== undefined ? known.builder : createOutline();
  builder.cut(from);
  const { revision } = state;
  await readOutlineMessages(engine, tx, { sessionId, revision, from }, (messages, blocks) =>
    builder.add(messages, blocks),
  );
  const { kept, parts } = await readOutlineParts(tx, { sessionId, revision }, known?.parts ?? NO_PARTS, changed);
  const itemCount = known?.outline.items.ordinal.length ?? 0;
  const { outline, ...finished } = builder.finish(state.name, parts);
  return {
    state,
    builder,
    parts: kept,
    outline,
    before: known === undefined ? null : { ...known.outline, itemCount, changed: finished.changed },
  };
}

/** Serializes work on the same session: a builder must not be used concurrently. */
function createQueues() {
  const last = new Map<string, Promise<unknown>>();
  return async <T>(key: string, work: () => Promise<T>): Promise<T> => {
    const before = last.get(key) ?? Promise.resolve();
    const own = before.then(work, work);
    last.set(key, own);
    try {
      return await own;
    } finally {
      if (last.get(key) === own) last.delete(key);
    }
  };
}

/** The builder takes about as much memory as three outlines. */
const BUILDER_OUTLINES = 3;

function forgetOldest(kept: Map<string, KeptOutline>): void {
  let count = 0;
  for (const [id, { outline }] of [...kept].reverse()) {
    count += outline.items.ordinal.length * (BUILDER_OUTLINES + 1);
    if (count > MAX_KEPT_ITEMS) kept.delete(id);
  }
}
