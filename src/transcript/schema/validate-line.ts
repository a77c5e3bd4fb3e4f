import { type LineIssue, readIssues } from './issues.ts';
import { LINE_SCHEMAS } from './lines.ts';
import { lineFields } from './line-fields.ts';
import { isLineType, type LineType } from './line-types.ts';
import { showPath } from './path.ts';
import { walkFields } from './walk-fields.ts';

export interface LineVerdict {
  /** The line's type as it says; null where it says none. */
  readonly type: string | null;
  readonly known: boolean;
  readonly ok: boolean;
  readonly issues: readonly LineIssue[];
}

export interface ValidateOptions {
  /** Report unknown types, kinds and fields too. */
  readonly strict?: boolean;
}

/** Issues reported per line; one broken line may have a million. */
const MAX_ISSUES = 100;

/** Says whether a parsed line has the shape of its type. Never throws; messages name fields and types, never values. */
export function validateLine(value: unknown, { strict = false }: ValidateOptions = {}): LineVerdict {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return verdict(null, false, [{ path: '', message: 'expected an object' }]);
  }
  const type: unknown = Object.hasOwn(value, 'type') ? (value as { type?: unknown }).type : undefined;
  if (typeof type !== 'string') return verdict(null, false, [{ path: 'type', message: 'expected a string' }]);
  if (!isLineType(type)) {
    return verdict(type, false, strict ? [{ path: 'type', message: 'unknown line type' }] : []);
  }
  const wrong = readIssues(LINE_SCHEMAS[type].safeParse(value).error?.issues ?? []);
  return verdict(type, true, strict ? [...wrong, ...strayIssues(type, value)] : wrong);
}

function verdict(type: string | null, known: boolean, issues: readonly LineIssue[]): LineVerdict {
  return { type, known, ok: issues.length === 0, issues: issues.slice(0, MAX_ISSUES) };
}

const STRAY_MESSAGES = { field: 'unknown field', variant: 'unknown kind', value: 'unknown value' } as const;

function strayIssues(type: LineType, value: object): LineIssue[] {
  const found: LineIssue[] = [];
  const node = lineFields().get(type);
  if (!node) return found;
  walkFields(node, value, (kind, path) => {
    // zod has already spoken about wrong JSON types.
    if (kind === 'json_type' || found.length >= MAX_ISSUES) return;
    found.push({ path: showPath(path), message: STRAY_MESSAGES[kind] });
  });
  return found;
}
