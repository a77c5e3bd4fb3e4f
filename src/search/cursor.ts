import { FuelError } from '../domain/errors.ts';

/** Paging position; includes `now` so that recency is scored the same on every page. */
export interface SearchCursor {
  readonly now: string;
  /** Only places below this id; newer ones were on the previous pages. */
  readonly belowId: number | null;
  readonly after: { readonly score: number; readonly started_at: string; readonly session_id: string } | null;
}

export function encodeCursor({ now, belowId, after }: SearchCursor): string {
  const list = [now, belowId, after?.score ?? null, after?.started_at ?? null, after?.session_id ?? null];
  return btoa(encodeURIComponent(JSON.stringify(list)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}

/** Errors: usage for a cursor that is not ours. */
export function decodeCursor(cursor: string): SearchCursor {
  const found = read(cursor);
  if (found !== null) return found;
  throw new FuelError('usage', 'Invalid cursor.', {
    hint: 'Omit the cursor to start from the first page.',
  });
}

function read(cursor: string): SearchCursor | null {
  try {
    const text = decodeURIComponent(atob(cursor.replaceAll('-', '+').replaceAll('_', '/')));
    const [now, belowId, score, started_at, session_id] = JSON.parse(text) as unknown[];
    if (!isTime(now) || (belowId !== null && !Number.isSafeInteger(belowId))) return null;
    const start = { now, belowId: belowId as number | null };
    if (score === null) return { ...start, after: null };
    if (typeof score !== 'number' || !isTime(started_at) || !isId(session_id)) return null;
    return { ...start, after: { score, started_at, session_id } };
  } catch {
    // All broken cursors are treated alike.
    return null;
  }
}

function isTime(value: unknown): value is string {
  return typeof value === 'string' && !Number.isNaN(Date.parse(value)) && new Date(value).toISOString() === value;
}

function isId(value: unknown): value is string {
  return typeof value === 'string' && value.isWellFormed() && !value.includes('\0');
}
