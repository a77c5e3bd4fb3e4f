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
/** Followers of a running session ask for what is new since one of its last outlines. */
const MAX_VERSIONS = 2;

interface KeptOutline {
  readonly state: OutlineState;
  readonly builder: OutlineBuilder;
  readonly parts: KeptParts;
  /** The newest one first. */
  readonly versions: readonly [Outline, ...Outline[]];
}

type OutlineReader = (tx: Tx, sessionId: string, since?: string) => Promise<Outline>;

/**
 * Reads outlines and keeps the last ones. Of a session that has grown, only what is new is read; a reader with an
 * earlier outline that is still known gets only what has changed since.
 */
export function createOutlineReader(engine: Engine): OutlineReader {
  const kept = new Map<string, KeptOutline>();
  const oneAtATime = createQueues();
  return (tx, sessionId, since) =>
    oneAtATime(sessionId, async () => {
      const state = await readOutlineState(tx, sessionId);
      const known = kept.get(sessionId);
      // A snapshot that is older than what is kept, because another request was faster.
      const isLate = known !== undefined && known.state.rowsVersion > state.rowsVersion;
      // Forgotten meanwhile: if reading fails, the builder has taken in only a part.
      kept.delete(sessionId);
      const current = known?.state.name === state.name ? known : await read({ engine, tx, sessionId }, state, known);
      kept.set(sessionId, isLate ? known : current);
      forgetOldest(kept);
      const [outline] = current.versions;
      const before = current.versions.find(({ revision }) => revision === since);
      return before === undefined ? outline : outlineSince(before, outline);
    });
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
  const outline = builder.finish(state.name, parts);
  return { state, builder, parts: kept, versions: [outline, ...(known?.versions ?? []).slice(0, MAX_VERSIONS - 1)] };
}

/** Runs work for the same session one after another: a builder must not be used twice at a time. */
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

/** The builder takes about as much memory as two outlines. */
function forgetOldest(kept: Map<string, KeptOutline>): void {
  let count = 0;
  for (const [id, { versions }] of [...kept].reverse()) {
    for (const { items } of [...versions, versions[0], versions[0]]) count += items.ordinal.length;
    if (count > MAX_KEPT_ITEMS) kept.delete(id);
  }
}
