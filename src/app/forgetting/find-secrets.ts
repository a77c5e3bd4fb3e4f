import { parseJson } from '../../domain/json.ts';
import type { MaskingDeps } from '../../pipeline/masking.ts';
import type { SecretMask } from '../../redact/mask-secrets.ts';
import { readSharedTexts, readStoredTexts, type StoredRow, textsOf } from '../../store/queries/masks/stored-texts.ts';

/** Secrets found in the database, for one session or outside of sessions; never the secrets themselves. */
export interface FoundSecrets {
  /** Null for commit messages, plans and saved views, which belong to no session. */
  readonly session_id: string | null;
  /** Without its secrets. */
  readonly title: string | null;
  /** Number of places by kind of secret. */
  readonly kinds: Readonly<Record<string, number>>;
}

/** Searches all texts of the sessions, one page of rows at a time; yields those with secrets. */
export async function* findSecrets(
  deps: MaskingDeps,
  sessionIds: Iterable<string>,
  signal: AbortSignal,
): AsyncGenerator<FoundSecrets> {
  for (const sessionId of sessionIds) {
    if (signal.aborted) return;
    const found = await findInSession(deps, sessionId);
    if (found !== null) yield found;
  }
}

export async function findInSession({ engine, masking }: MaskingDeps, sessionId: string): Promise<FoundSecrets | null> {
  const mask = await masking.open();
  let title: string | null = null;
  for await (const { table, rows } of readStoredTexts(engine.kysely, sessionId)) {
    for (const row of rows) maskRow(mask, row);
    if (table === 'sessions') title = titleOf(rows[0] ?? {});
  }
  if (mask.found.size === 0) return null;
  return { session_id: sessionId, title: title && mask.cutText(title), kinds: Object.fromEntries(mask.found) };
}

function titleOf({ title, initial_prompt }: StoredRow): string | null {
  return (title ?? initial_prompt ?? null) as string | null;
}

/** The same in texts that belong to no session. */
export async function findInShared({ engine, masking }: MaskingDeps): Promise<FoundSecrets | null> {
  const mask = await masking.open();
  for await (const { rows } of readSharedTexts(engine.kysely)) for (const row of rows) maskRow(mask, row);
  return mask.found.size === 0 ? null : { session_id: null, title: null, kinds: Object.fromEntries(mask.found) };
}

/** The columns of a row that change when secrets are masked. */
export function maskRow(mask: SecretMask, row: StoredRow): Readonly<Record<string, string>> {
  const changed = textsOf(row).map(([column, text]) => [column, maskText(mask, text), text] as const);
  return Object.fromEntries(changed.flatMap(([column, masked, text]) => (masked === text ? [] : [[column, masked]])));
}

/** Texts of several tables are JSON, in which names identify secret values. */
function maskText(mask: SecretMask, text: string): string {
  const value = /^[[{]/.test(text) ? parseJson(text) : undefined;
  if (value === undefined) return mask.text(text);
  const before = JSON.stringify(value);
  const after = JSON.stringify(mask.json(value));
  return before === after ? text : after;
}
