import { PLACE_KINDS } from './search.ts';
import { WORK_KINDS } from './summary.ts';

/** How the value of a field is written. */
export type ValueType = 'text' | 'number' | 'dollars' | 'count' | 'duration' | 'date' | 'name';

export interface SearchField {
  readonly type: ValueType;
  /** What it speaks of: a whole session, or the very place that is found. */
  readonly of: 'session' | 'place';
  readonly about: string;
  readonly example: string;
  /** The only values there are, with their meaning. */
  readonly values?: Readonly<Record<string, string>>;
}

export const SESSION_FLAGS = {
  live: 'it is being written to',
  ended: 'it has ended',
  pinned: 'somebody pinned it',
  failed: 'it could not be parsed',
} as const;

export const SESSION_POSSESSIONS = {
  commit: 'a commit was made in it',
  pr: 'a pull request',
  error: 'a tool call that failed, or an error of the API',
  subagent: 'a sub-agent',
  team: 'a team of agents',
  plan: 'a plan',
  todo: 'a to-do list',
  thinking: 'thinking',
  compaction: 'a compaction',
  rewind: 'a prompt that was gone back to and asked anew',
  summary: 'a summary',
  note: 'a note',
  tag: 'a tag',
} as const;

/** Every field of the query language: the manual's table is made from it, and the store has a condition for each. */
export const SEARCH_FIELDS = {
  tool: {
    type: 'text',
    of: 'place',
    about: 'The place is a call of this tool, or what it gave back.',
    example: 'tool:Bash',
  },
  exit: {
    type: 'number',
    of: 'place',
    about: 'The place belongs to a command that ended with this code.',
    example: 'exit>0',
  },
  error: {
    type: 'text',
    of: 'place',
    about:
      '`tool`, `denied`, `interrupted`: how the call ended; `user`, `rule`, `hook`, `auto_mode`: who denied it. `api`, a status or a kind: an error of the API.',
    example: 'error:529',
  },
  type: { type: 'name', of: 'place', about: 'What kind of text it is.', example: 'type:prompt', values: PLACE_KINDS },
  agent: {
    type: 'text',
    of: 'place',
    about: 'The place is in a sub-agent of this type or name; `agent:*` is any.',
    example: 'agent:Explore',
  },
  file: { type: 'text', of: 'session', about: 'A path it touched contains this.', example: 'file:engine.ts' },
  model: { type: 'text', of: 'session', about: 'The name of a model it used contains this.', example: 'model:opus' },
  branch: { type: 'text', of: 'session', about: 'The name of its git branch contains this.', example: 'branch:main' },
  workspace: {
    type: 'text',
    of: 'session',
    about: 'The name or address of its workspace contains this.',
    example: 'workspace:api',
  },
  device: { type: 'text', of: 'session', about: 'The name of the machine contains this.', example: 'device:laptop' },
  session: { type: 'text', of: 'session', about: 'Its id begins so.', example: 'session:3f2a91' },
  title: { type: 'text', of: 'session', about: 'Its title contains this.', example: 'title:"ferry times"' },
  tag: { type: 'text', of: 'session', about: 'It carries this tag.', example: 'tag:later' },
  commit: {
    type: 'text',
    of: 'session',
    about: 'A commit of it has a hash that begins so, or a message that contains this.',
    example: 'commit:9fceb02',
  },
  pr: { type: 'number', of: 'session', about: 'It is tied to this pull request.', example: 'pr:42' },
  version: { type: 'text', of: 'session', about: 'The version of Claude Code begins so.', example: 'version:2.1' },
  speed: { type: 'text', of: 'session', about: 'The API answered at this speed.', example: 'speed:fast' },
  tier: { type: 'text', of: 'session', about: 'The API used this service tier.', example: 'tier:priority' },
  cost: { type: 'dollars', of: 'session', about: 'What it cost.', example: 'cost>1.50' },
  tokens: { type: 'count', of: 'session', about: 'All its tokens.', example: 'tokens>200k' },
  messages: { type: 'count', of: 'session', about: 'Its messages.', example: 'messages>100' },
  duration: { type: 'duration', of: 'session', about: 'From its first to its last line.', example: 'duration>2h' },
  before: { type: 'date', of: 'session', about: 'It began before this.', example: 'before:2026-11-01' },
  after: { type: 'date', of: 'session', about: 'It began at this time or later.', example: 'after:7d' },
  kind: {
    type: 'name',
    of: 'session',
    about: 'The kind of work, where the evidence is clear.',
    example: 'kind:debugging',
    values: WORK_KINDS,
  },
  is: { type: 'name', of: 'session', about: 'How it is.', example: 'is:live', values: SESSION_FLAGS },
  has: { type: 'name', of: 'session', about: 'What it has.', example: 'has:commit', values: SESSION_POSSESSIONS },
} as const satisfies Record<string, SearchField>;

export type SearchFieldName = keyof typeof SEARCH_FIELDS;
