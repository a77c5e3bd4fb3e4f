import type { FoundSession, SearchHit } from '../api/search.ts';
import type { FieldName } from './session-fields.ts';

/** A search: what was asked, as a tree; what the store is asked for; and the answer. */

export const MAX_SEARCH_SESSIONS = 100;
export const DEFAULT_SEARCH_SESSIONS = 20;
export const MAX_SEARCH_CHARS = 500;

/** What kind of text a place is. Notes, titles and summaries belong to a session, the others to a message. */
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

/** The fields of a question, in order. */
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

/** A regular expression or a piece of text, looked for letter by letter. */
export interface PatternNode {
  readonly kind: 'pattern';
  readonly source: string;
  readonly isRegex: boolean;
  readonly isCaseSensitive: boolean;
  /** Lower-case ASCII, one of which every text has that the pattern is in; none when nothing is known. */
  readonly texts: readonly string[];
}

export type Comparison = '=' | '<' | '<=' | '>' | '>=';

export type FieldValue =
  /** Lower-case unless case matters; `isPrefix` when it ended with a star. */
  | { readonly type: 'text'; readonly text: string; readonly isPrefix: boolean }
  | { readonly type: 'number'; readonly comparison: Comparison; readonly number: number }
  | { readonly type: 'time'; readonly comparison: '<' | '>='; readonly at: string }
  /** What a name stands for; the store replaces names with these. */
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

/** Which sessions: those that match, without those that have no prompt unless `all` are wanted. */
export interface SessionSelection {
  readonly where?: SearchNode | null;
  readonly all?: boolean | undefined;
}

export type Highlight = SearchHit['highlights'][number];

/** A piece of text in the index. Ids grow with the start of the session and then with the place in it. */
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
  readonly ordinal: number | null;
  readonly timestamp: string | null;
  readonly toolName: string | null;
}

export type FoundSessionFacts = Omit<FoundSession, 'places' | 'hits'>;

/** Places that may fit, newest first. */
export interface Candidates {
  readonly places: readonly Place[];
  /** No place from this id on was passed over; null when none is left at all. */
  readonly lookedTo: number | null;
}

/** Candidates below an id; so many at most. */
export interface CandidatePage {
  readonly belowId: number | null;
  readonly limit: number;
}

/** H14: the time of a search. Then it ends with what it has found, or says that it would take too long. */
export const SEARCH_MS = 2_000;

/** Places of one session that fit a question made of fields: the newest, and how many there are. */
export interface PlacesOfSession {
  readonly sessionId: string;
  readonly count: number;
  readonly places: readonly Place[];
}

/** What a search asks of the store. Errors: timeout. */
export interface SearchIndex {
  /** Replaces names of workspaces and devices with the ids they match. All other questions need that. */
  resolveNames(node: SearchNode): Promise<SearchNode>;
  /** The next candidates: text is looked up by whole words, patterns by what every text has that they are in. */
  findPlaces(node: SearchNode, page: CandidatePage): Promise<Candidates>;
  findPlacesOf(node: SearchNode, sessionIds: readonly string[]): Promise<readonly PlacesOfSession[]>;
  readTexts(places: readonly Place[]): Promise<ReadonlyMap<number, PlaceText>>;
  /** Sessions that fit, newest first; for questions about whole sessions. */
  findSessions(
    node: SearchNode,
    page: { readonly after: Pick<FoundSessionFacts, 'started_at' | 'session_id'> | null; readonly limit: number },
  ): Promise<FoundSessionFacts[]>;
  countSessions(node: SearchNode): Promise<number>;
  readSessions(ids: readonly string[]): Promise<ReadonlyMap<string, FoundSessionFacts>>;
}
