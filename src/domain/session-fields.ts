import { PLACE_KINDS } from './search.ts';
import { WORK_KINDS } from './summary.ts';

/** How the value of a field is written. `name or id` matches a workspace or device, `choice` is one of a list. */
type ValueType = 'text' | 'name or id' | 'number' | 'dollars' | 'count' | 'duration' | 'date' | 'choice';

export interface Field {
  readonly type: ValueType;
  /** `place`: together with words, it applies to the place that contains them; without words, to sessions with such a place. */
  readonly of: 'session' | 'place';
  readonly about: string;
  readonly example: string;
  /** All valid values, with their meaning. */
  readonly values?: Readonly<Record<string, string>>;
  /** Former names of values. */
  readonly formerValues?: Readonly<Record<string, string>>;
  /** Whether a session must match all values of a comma-separated list or any of them. */
  readonly list?: 'all' | 'any';
  /** Other names of the field, each with the comparison it implies. */
  readonly aliases?: Readonly<Record<string, '' | '>=' | '<='>>;
  /**
   * As an option of every command that filters sessions: the placeholder of its value, its letter, and its help where
   * `about` does not fit a list of sessions.
   */
  readonly option?: { readonly value: string; readonly short?: string; readonly about?: string };
}

const IS_VALUES = {
  live: 'is being written to',
  ended: 'has ended',
  pinned: 'was pinned',
  failed: 'could not be parsed',
  unpriced: 'used a model whose price is unknown',
  archived: 'has only its archived bytes, no rows',
} as const;

const HAS_VALUES = {
  commit: 'a commit made in it',
  pr: 'a pull request',
  error: 'a failed tool call or an API error',
  api_error: 'an API error',
  failed_tests: 'tests whose last run failed',
  subagent: 'a sub-agent',
  team: 'a team of agents',
  plan: 'a plan',
  todo: 'a to-do list',
  thinking: 'thinking',
  compaction: 'a compaction',
  rewind: 'a prompt that was edited and sent again',
  summary: 'a summary by a person or a model',
  note: 'a note',
  tag: 'a tag',
} as const;

const LIFECYCLE_VALUES = {
  detected: 'reported by a hook, no bytes yet',
  capturing: 'being written to',
  ended: 'ended, not parsed yet',
  parsed: 'parsed',
  summarized: 'parsed and summarized',
  archived: 'rows removed, bytes kept',
  failed: 'could not be parsed',
} as const;

const PARSE_VALUES = { pending: 'waiting', parsing: 'under way', completed: 'done', failed: 'failed' } as const;

/**
 * Every field that sessions can be filtered by: in searches (`model:opus`), as options (`--model opus`) and as parameters
 * of the API (`model=opus`). The manual is generated from this table, and the store has a condition for each entry.
 */
export const FIELDS = {
  tool: {
    type: 'text',
    of: 'place',
    about: 'Calls of this tool and their output.',
    example: 'tool:Bash',
    option: { value: 'NAME', about: 'Sessions that called this tool.' },
  },
  exit: { type: 'number', of: 'place', about: 'Commands that ended with this exit code.', example: 'exit>0' },
  error: {
    type: 'text',
    of: 'place',
    about:
      'Outcome of a call: `tool` (failed), `denied`, `interrupted`, or who denied it: `user`, `rule`, `hook`, `auto_mode`. API errors: `api` (any), a status, or part of the kind or text.',
    example: 'error:529',
  },
  type: {
    type: 'choice',
    of: 'place',
    about: 'Texts of this type.',
    example: 'type:prompt',
    values: PLACE_KINDS,
    list: 'any',
  },
  agent: {
    type: 'text',
    of: 'place',
    about: 'Texts of a sub-agent of this type or name; `agent:*` is any.',
    example: 'agent:Explore',
  },
  file: {
    type: 'text',
    of: 'session',
    about: 'Sessions that touched a path containing this.',
    example: 'file:engine.ts',
  },
  model: {
    type: 'text',
    of: 'session',
    about: 'Sessions that used a model whose name contains this.',
    example: 'model:opus',
    option: { value: 'NAME', short: 'm' },
  },
  branch: {
    type: 'text',
    of: 'session',
    about: 'Sessions that started, worked or committed on a git branch whose name contains this.',
    example: 'branch:main',
    option: { value: 'NAME', short: 'b' },
  },
  workspace: {
    type: 'name or id',
    of: 'session',
    about:
      'Sessions in this workspace (name, id or git remote), or in any workspace whose name or address contains this.',
    example: 'workspace:api',
    aliases: { workspace_id: '' },
    option: { value: 'NAME', short: 'w' },
  },
  device: {
    type: 'name or id',
    of: 'session',
    about: 'Sessions on this device (name or id), or on any device whose name contains this.',
    example: 'device:laptop',
    aliases: { device_id: '' },
    option: { value: 'NAME', short: 'd' },
  },
  session: {
    type: 'text',
    of: 'session',
    about: 'Sessions whose id starts with this, including those without a prompt.',
    example: 'session:3f2a91',
    aliases: { session_id: '' },
  },
  title: {
    type: 'text',
    of: 'session',
    about: 'Sessions whose title contains this.',
    example: 'title:"ferry times"',
    option: { value: 'TEXT' },
  },
  tag: {
    type: 'text',
    of: 'session',
    about: 'Sessions with this tag.',
    example: 'tag:later',
    option: { value: 'TAG', short: 't' },
  },
  commit: {
    type: 'text',
    of: 'session',
    about: 'Sessions with a commit whose hash starts with this or whose message contains it.',
    example: 'commit:9fceb02',
  },
  pr: { type: 'number', of: 'session', about: 'Sessions linked to this pull request.', example: 'pr:42' },
  version: {
    type: 'text',
    of: 'session',
    about: 'Sessions of a Claude Code version that starts with this.',
    example: 'version:2.1',
  },
  speed: {
    type: 'text',
    of: 'session',
    about: 'Sessions that used this API speed, for example fast.',
    example: 'speed:fast',
    option: { value: 'NAME' },
  },
  tier: {
    type: 'text',
    of: 'session',
    about: 'Sessions that used this API service tier, for example priority.',
    example: 'tier:priority',
    option: { value: 'NAME' },
  },
  cost: {
    type: 'dollars',
    of: 'session',
    about: 'Cost in dollars; sessions of unknown cost never match.',
    example: 'cost>1.50',
    aliases: { min_cost: '>=', max_cost: '<=' },
    option: {
      value: 'DOLLARS',
      about: 'Sessions with this cost in dollars, for example ">1.50"; sessions of unknown cost never match.',
    },
  },
  tokens: { type: 'count', of: 'session', about: 'Tokens, all kinds together.', example: 'tokens>200k' },
  messages: { type: 'count', of: 'session', about: 'Number of messages.', example: 'messages>100' },
  duration: { type: 'duration', of: 'session', about: 'Time from the first to the last line.', example: 'duration>2h' },
  before: { type: 'date', of: 'session', about: 'Sessions that started before this.', example: 'before:2026-11-01' },
  after: { type: 'date', of: 'session', about: 'Sessions that started at this time or later.', example: 'after:7d' },
  ended_before: {
    type: 'date',
    of: 'session',
    about: 'Sessions that ended before this.',
    example: 'ended_before:today',
  },
  ended_after: {
    type: 'date',
    of: 'session',
    about: 'Sessions that ended at this time or later.',
    example: 'ended_after:12h',
  },
  used_before: {
    type: 'date',
    of: 'session',
    about:
      'Sessions with usage before this. Combined with `used_after`, `used_branch` or `model`, all must match the same usage.',
    example: 'used_before:today',
  },
  used_after: {
    type: 'date',
    of: 'session',
    about: 'Sessions with usage at this time or later.',
    example: 'used_after:7d',
  },
  used_branch: {
    type: 'text',
    of: 'session',
    about: 'Sessions with usage on a git branch whose name contains this.',
    example: 'used_branch:main',
  },
  kind: {
    type: 'choice',
    of: 'session',
    about: 'Sessions whose main kind of work is this; sessions without a clear kind never match.',
    example: 'kind:debugging',
    values: WORK_KINDS,
    list: 'any',
    option: { value: 'KINDS' },
  },
  lifecycle: {
    type: 'choice',
    of: 'session',
    about: 'Sessions in this state.',
    example: 'lifecycle:parsed',
    values: LIFECYCLE_VALUES,
    list: 'any',
    option: { value: 'STATES' },
  },
  parse_status: {
    type: 'choice',
    of: 'session',
    about: 'Sessions whose parsing is in this state.',
    example: 'parse_status:failed',
    values: PARSE_VALUES,
    list: 'any',
  },
  is: {
    type: 'choice',
    of: 'session',
    about: 'Sessions with this property.',
    example: 'is:live',
    values: IS_VALUES,
    list: 'all',
    option: { value: 'VALUES' },
  },
  has: {
    type: 'choice',
    of: 'session',
    about: 'Sessions that contain this.',
    example: 'has:commit',
    values: HAS_VALUES,
    formerValues: { branch: 'rewind' },
    list: 'all',
    option: { value: 'VALUES' },
  },
} as const satisfies Record<string, Field>;

export type FieldName = keyof typeof FIELDS;
export type IsValue = keyof typeof IS_VALUES;
export type HasValue = keyof typeof HAS_VALUES;
/** Fields that say something about a place in a session. */
export type PlaceFieldName = { [N in FieldName]: (typeof FIELDS)[N]['of'] extends 'place' ? N : never }[FieldName];

type AliasOf<F> = F extends { readonly aliases: infer A } ? keyof A : never;
/** Names and aliases of a field. */
export type FieldParameter = FieldName | { [N in FieldName]: AliasOf<(typeof FIELDS)[N]> }[FieldName];

interface NamedField {
  readonly name: FieldName;
  readonly field: Field;
  /** The comparison that an alias implies. */
  readonly comparison: string;
}

const BY_PARAMETER: ReadonlyMap<string, NamedField> = new Map(
  Object.entries<Field>(FIELDS).flatMap(([name, field]) =>
    Object.entries({ [name]: '', ...field.aliases }).map(([parameter, comparison]): [string, NamedField] => [
      parameter,
      { name: name as FieldName, field, comparison },
    ]),
  ),
);

/** Names and aliases of all fields. */
export const FIELD_PARAMETERS = [...BY_PARAMETER.keys()] as readonly FieldParameter[];

export function findField(parameter: string): NamedField | null {
  return BY_PARAMETER.get(parameter.toLowerCase()) ?? null;
}

const COMPARABLE: readonly ValueType[] = ['number', 'dollars', 'count', 'duration'];

/** Whether `name>5` is a condition; for other fields only `name:value` is. */
export function isComparable(name: FieldName): boolean {
  return COMPARABLE.includes(FIELDS[name].type);
}

/** Fields whose values are known only from the stored sessions. */
const STORED_FIELDS = [
  'workspace',
  'branch',
  'model',
  'tool',
  'tag',
  'agent',
  'file',
  'device',
  'version',
  'speed',
  'tier',
] as const satisfies readonly FieldName[];
export type StoredField = (typeof STORED_FIELDS)[number];

/** Fields whose values can be listed with the number of their sessions. */
export const VALUE_FIELDS = [
  ...STORED_FIELDS,
  'kind',
  'is',
  'has',
  'lifecycle',
  'parse_status',
] as const satisfies readonly FieldName[];
export type ValueField = (typeof VALUE_FIELDS)[number];

export function isStoredField(field: FieldName): field is StoredField {
  return (STORED_FIELDS as readonly FieldName[]).includes(field);
}

export function isValueField(field: FieldName): field is ValueField {
  return (VALUE_FIELDS as readonly FieldName[]).includes(field);
}
