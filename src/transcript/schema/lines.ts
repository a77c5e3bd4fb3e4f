import type { z } from 'zod';
import { pathText } from '../../lib/schema-complaint.ts';
import { compileFields, type FieldNode } from './fields.ts';
import { AttachmentLineSchema } from './line/attachment.ts';
import { AssistantLineSchema, UserLineSchema } from './line/messages.ts';
import { QueueOperationLineSchema, STATE_SCHEMAS } from './line/state.ts';
import { ProgressLineSchema, SystemLineSchema } from './line/system.ts';
import { isLineType, LINE_TYPES, type LineType } from './line-types.ts';
import { type Step, walkFields } from './walk-fields.ts';

/**
 * One tolerant zod schema per line type: unlisted fields are kept, unlisted kinds are accepted. `validateLine` adds the
 * strict view.
 */
export const LINE_SCHEMAS = {
  user: UserLineSchema,
  assistant: AssistantLineSchema,
  system: SystemLineSchema,
  attachment: AttachmentLineSchema,
  progress: ProgressLineSchema,
  'queue-operation': QueueOperationLineSchema,
  ...STATE_SCHEMAS,
} satisfies Record<LineType, z.ZodType>;

/** The TypeScript type of a line, for example `LineOf<'assistant'>`. */
export type LineOf<T extends LineType> = z.infer<(typeof LINE_SCHEMAS)[T]>;

let table: ReadonlyMap<string, FieldNode> | undefined;

/** Known fields of every line type, compiled on first use. */
export function lineFields(): ReadonlyMap<string, FieldNode> {
  table ??= new Map(LINE_TYPES.map((type) => [type, compileFields(LINE_SCHEMAS[type])]));
  return table;
}

/** A path in JavaScript notation, without variants and values. */
function showPath(path: readonly Step[]): string {
  const steps = path.filter((step) => step.kind !== 'variant' && step.kind !== 'value');
  return pathText(steps.map((step) => (step.kind === 'index' ? step.index : step.name)));
}

interface LineIssue {
  /** For example `message.content[0].text`; empty for the whole value. */
  readonly path: string;
  readonly message: string;
}

type Issue = z.core.$ZodIssue;

/**
 * zod's issues as path and message. For a failed union, only the option that matches the value's JSON type is reported.
 */
function readIssues(issues: readonly Issue[]): LineIssue[] {
  return issues.flatMap((issue) => readIssue(issue, []));
}

function readIssue(issue: Issue, prefix: readonly PropertyKey[]): LineIssue[] {
  const path = [...prefix, ...issue.path];
  if (issue.code !== 'invalid_union') return [{ path: pathText(path), message: lower(issue.message) }];
  const fitting = issue.errors.find((option) => option.some((inner) => inner.path.length > 0));
  if (!fitting) return [{ path: pathText(path), message: expectedOf(issue.errors.flat()) }];
  return fitting.flatMap((inner) => readIssue(inner, path));
}

function expectedOf(issues: readonly Issue[]): string {
  const names = issues.flatMap((issue) => (issue.code === 'invalid_type' ? [issue.expected] : []));
  return names.length > 0 ? `expected ${[...new Set(names)].join(' or ')}` : 'does not fit';
}

function lower(message: string): string {
  return message.replace(/^Invalid input: /, '');
}

export interface LineVerdict {
  /** Type stated by the line; null if there is none. */
  readonly type: string | null;
  readonly known: boolean;
  readonly ok: boolean;
  readonly issues: readonly LineIssue[];
}

interface ValidateOptions {
  /** Also report unknown types, kinds and fields. */
  readonly strict?: boolean;
}

/** Maximum number of issues per line; a broken line may have a million. */
const MAX_ISSUES = 100;

/**
 * Checks whether a parsed line has the shape of its type. Never throws; messages name fields and types, never values.
 */
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
    // zod has already reported wrong JSON types.
    if (kind === 'json_type' || found.length >= MAX_ISSUES) return;
    found.push({ path: showPath(path), message: STRAY_MESSAGES[kind] });
  });
  return found;
}
