import type { FoundSession, SearchHit } from '../api/search.ts';
import type { FieldName } from './session-fields.ts';
import type { JsonValue } from './transcript.ts';

export const MAX_SEARCH_SESSIONS = 100;
/** The most matches of one session in an answer. */
export const MAX_SESSION_HITS = 2_000;
export const DEFAULT_SEARCH_SESSIONS = 20;
export const MAX_SEARCH_CHARS = 500;

/** The kinds of indexed texts. Titles, notes, summaries and documents belong to a session, the others to a message. */
export const PLACE_KINDS = {
  title: 'the title of a session',
  note: 'a note on a session',
  summary: 'the summary of a session',
  prompt: 'a prompt from a person, or from an agent to its sub-agent',
  answer: 'an answer from the model',
  input: 'the input of a tool call',
  thinking: 'the reasoning of the model',
  output: 'the output of a tool',
  context: 'text added by the client: reminders, command output, compaction summaries',
  document: 'a plan, to-do list, task, session memory or typed prompt stored next to the transcript',
} as const;
export type PlaceKind = keyof typeof PLACE_KINDS;

/** Texts of a session as a whole, which change while its conversation stays the same. */
export const SESSION_KINDS = ['title', 'summary', 'note', 'document'] as const satisfies readonly PlaceKind[];

/** The fields of a query, in order. */
export function fieldsOf(node: SearchNode): FieldNode[] {
  if (node.kind === 'field') return [node];
  if (node.kind === 'not') return fieldsOf(node.node);
  return node.kind === 'all' || node.kind === 'any' ? node.nodes.flatMap(fieldsOf) : [];
}

/** Consecutive words of a text; the last may be a prefix. */
export interface TextNode {
  readonly kind: 'text';
  readonly words: readonly string[];
  readonly isPrefix: boolean;
}

/** A regular expression or an exact piece of text. */
export interface PatternNode {
  readonly kind: 'pattern';
  readonly source: string;
  readonly isRegex: boolean;
  readonly isCaseSensitive: boolean;
  /** Lower-case ASCII texts, at least one of which every match contains; none when unknown. */
  readonly texts: readonly string[];
}

export type Comparison = '=' | '<' | '<=' | '>' | '>=';

export type FieldValue =
  /** Lower-case unless case matters; `isPrefix` when it ended with a star, `isExact` when it began with `=`. */
  | { readonly type: 'text'; readonly text: string; readonly isPrefix: boolean; readonly isExact?: boolean }
  | { readonly type: 'number'; readonly comparison: Comparison; readonly number: number }
  | { readonly type: 'time'; readonly comparison: '<' | '>='; readonly at: string }
  /** The ids that a name matches; the store replaces names with these. */
  | { readonly type: 'ids'; readonly ids: readonly string[] };

export interface FieldNode {
  readonly kind: 'field';
  readonly field: FieldName;
  readonly value: FieldValue;
}

export type SearchNode =
  | { readonly kind: 'all'; readonly nodes: readonly SearchNode[] }
  | { readonly kind: 'any'; readonly nodes: readonly SearchNode[] }
  | { readonly kind: 'not'; readonly node: SearchNode }
  | TextNode
  | PatternNode
  | FieldNode;

/** The sessions that match; those without a prompt only with `all`. */
export interface SessionSelection {
  readonly where?: SearchNode | null;
  /** Only these sessions. */
  readonly only?: readonly string[] | undefined;
  readonly all?: boolean | undefined;
}

export type Highlight = SearchHit['highlights'][number];

/** A piece of text in the index. Ids increase with the start of the session, then with the position in it. */
export interface Place {
  readonly id: number;
  readonly sessionId: string;
  readonly messageId: string;
  readonly blockOrder: number;
  readonly part: number;
  readonly kind: PlaceKind;
  readonly chars: number;
  /** Whether each field of the query matches, in the order of the query. */
  readonly fields: readonly boolean[];
}

export interface PlaceText {
  /** The text of the place: a part of its block. */
  readonly text: string;
  /** The input of a tool call as JSON. Its names say what its values are, but they are not part of the text. */
  readonly json: string | null;
  readonly ordinal: number | null;
  readonly timestamp: string | null;
  readonly toolName: string | null;
}

/** The tool call that an input or output belongs to. */
export interface PlaceCall {
  readonly name: string | null;
  readonly input: JsonValue | null;
  readonly status: string;
  readonly exitCode: number | null;
}

export type FoundSessionFacts = Omit<FoundSession, 'places' | 'hits'>;

/** Places that may match, newest first. */
export interface Candidates {
  readonly places: readonly Place[];
  /** Every place from this id on was considered; null when none are left. */
  readonly lookedTo: number | null;
}

/** Up to `limit` candidates below an id. */
export interface CandidatePage {
  readonly belowId: number | null;
  readonly limit: number;
}

/** H14: time limit of a search. It then returns what it has found, or fails with a timeout. */
export const SEARCH_MS = 2_000;

/** The newest places of one session that match a query made of fields only, and the number of all. */
export interface PlacesOfSession {
  readonly sessionId: string;
  readonly count: number;
  readonly places: readonly Place[];
}

/** Matches of one session that have the same kind and tool. */
export interface CountedPlaces {
  readonly sessionId: string;
  readonly kind: PlaceKind;
  readonly tool: string | null;
  readonly places: number;
}

export interface PlaceGroup extends CountedPlaces {
  /** More matches, in texts of several parts; the parts of a text count once. */
  readonly partIds: readonly number[];
  /** Candidates whose texts decide. */
  readonly doubtfulIds: readonly number[];
}

/** Matches counted without their texts. */
export interface PlaceCounts {
  readonly groups: readonly PlaceGroup[];
  /** Every place from this id on was counted; null when none are left. */
  readonly countedTo: number | null;
}

/** The queries of a search. Errors: timeout. */
export interface SearchIndex {
  /** Replaces names of workspaces and devices with the ids they match, as all other methods require. */
  resolveNames(node: SearchNode): Promise<SearchNode>;
  /** The next candidates: text is looked up by whole words, patterns by texts that every match contains. */
  findPlaces(node: SearchNode, page: CandidatePage): Promise<Candidates>;
  /** Counts the next matches without reading their texts; null when only the texts can decide. */
  countPlaces(node: SearchNode, belowId: number | null): Promise<PlaceCounts | null>;
  /** These places as candidates, newest first. */
  listPlaces(node: SearchNode, ids: readonly number[]): Promise<readonly Place[]>;
  findPlacesOf(node: SearchNode, sessionIds: readonly string[]): Promise<readonly PlacesOfSession[]>;
  readTexts(places: readonly Place[]): Promise<ReadonlyMap<number, PlaceText>>;
  /** The calls of these places, by the id of the place. */
  readCalls(places: readonly Place[]): Promise<ReadonlyMap<number, PlaceCall>>;
  /** Sessions that match, newest first; for queries about whole sessions. */
  findSessions(
    node: SearchNode,
    page: { readonly after: Pick<FoundSessionFacts, 'started_at' | 'session_id'> | null; readonly limit: number },
  ): Promise<FoundSessionFacts[]>;
  countSessions(node: SearchNode): Promise<number>;
  readSessions(ids: readonly string[]): Promise<ReadonlyMap<string, FoundSessionFacts>>;
}

/** Follows the parts of each name in the parts of a text: a word that no text has, so that a phrase ends there. */
export const NAME_END = '\u0080';

/** Maximum length of one indexed text, so that the positions of its words fit into a tsvector. */
const STRIDE_CHARS = 32_000;
/** Overlap with the next text, so that a phrase across the boundary is complete in one of them. */
const OVERLAP_CHARS = 512;

/** The length of a place that may be one of several parts of a text. */
export const LONG_PLACE_CHARS = STRIDE_CHARS;

export function countParts(text: string): number {
  return Math.max(1, Math.ceil((text.length - OVERLAP_CHARS) / STRIDE_CHARS));
}

/** The text of one part; it starts and ends between words where possible. */
export function partOf(text: string, part: number): string {
  const from = part === 0 ? 0 : afterSpace(text, part * STRIDE_CHARS);
  const to = (part + 1) * STRIDE_CHARS + OVERLAP_CHARS;
  return text.slice(from, to >= text.length ? text.length : afterSpace(text, to));
}

const MAX_STEP_CHARS = 128;

function afterSpace(text: string, at: number): number {
  for (let next = at; next < at + MAX_STEP_CHARS; next++) {
    if (/\s/.test(text[next] ?? ' ')) return next;
  }
  return at;
}

/** The searchable text. Of JSON, the values, one per line, because the engines order keys differently. */
export function searchedText({ text, isJson }: { readonly text: string; readonly isJson: boolean }): string {
  return isJson ? valuesOf(JSON.parse(text)).join('\n') : text;
}

/** The field of a tool input that a position of its searchable text is in; null if it is not an object. */
export function inputFieldAt(input: JsonValue, at: number): string | null {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return null;
  let end = 0;
  for (const [name, value] of Object.entries(input).toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const values = valuesOf(value);
    end += values.join('\n').length + 1;
    if (values.length > 0 && at < end) return name;
    if (values.length === 0) end -= 1;
  }
  return null;
}

function valuesOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(valuesOf);
  if (typeof value === 'number' || typeof value === 'boolean') return [String(value)];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([, item]) => valuesOf(item));
}
