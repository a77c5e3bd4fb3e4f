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
  live: 'currently running',
  ended: 'ended',
  pinned: 'pinned',
  failed: 'could not be parsed',
} as const;

export const SESSION_POSSESSIONS = {
  commit: 'a commit',
  pr: 'a pull request',
  error: 'a failed tool call or an API error',
  subagent: 'a sub-agent',
  team: 'a team of agents',
  plan: 'a plan',
  todo: 'a to-do list',
  thinking: 'thinking',
  compaction: 'a compaction',
  rewind: 'a prompt that was rewound and asked again',
  summary: 'a summary',
  note: 'a note',
  tag: 'a tag',
} as const;

/** Every field of the query language: the manual's table is made from it, and the store has a condition for each. */
export const SEARCH_FIELDS = {
  tool: {
    type: 'text',
    of: 'place',
    about: 'Matches calls of this tool and their results.',
    example: 'tool:Bash',
  },
  exit: {
    type: 'number',
    of: 'place',
    about: 'Matches commands with this exit code.',
    example: 'exit>0',
  },
  error: {
    type: 'text',
    of: 'place',
    about:
      '`tool`, `denied`, `interrupted`: how the call ended; `user`, `rule`, `hook`, `auto_mode`: who denied it; `api`, a status or a kind: an API error.',
    example: 'error:529',
  },
  type: { type: 'name', of: 'place', about: 'Kind of text.', example: 'type:prompt', values: PLACE_KINDS },
  agent: {
    type: 'text',
    of: 'place',
    about: 'Matches text in a sub-agent of this type or name; `agent:*` matches any.',
    example: 'agent:Explore',
  },
  file: { type: 'text', of: 'session', about: 'A file path it touched contains this text.', example: 'file:engine.ts' },
  model: { type: 'text', of: 'session', about: 'A model name it used contains this text.', example: 'model:opus' },
  branch: { type: 'text', of: 'session', about: 'Its git branch name contains this text.', example: 'branch:main' },
  workspace: {
    type: 'text',
    of: 'session',
    about: 'Its workspace name or remote contains this text.',
    example: 'workspace:api',
  },
  device: { type: 'text', of: 'session', about: 'Its device name contains this text.', example: 'device:laptop' },
  session: { type: 'text', of: 'session', about: 'Its id starts with this.', example: 'session:3f2a91' },
  title: { type: 'text', of: 'session', about: 'Its title contains this text.', example: 'title:"ferry times"' },
  tag: { type: 'text', of: 'session', about: 'It has this tag.', example: 'tag:later' },
  commit: {
    type: 'text',
    of: 'session',
    about: 'One of its commits has a hash that starts with this, or a message that contains it.',
    example: 'commit:9fceb02',
  },
  pr: { type: 'number', of: 'session', about: 'It is linked to this pull request.', example: 'pr:42' },
  version: { type: 'text', of: 'session', about: 'Its Claude Code version starts with this.', example: 'version:2.1' },
  speed: { type: 'text', of: 'session', about: 'It used this API speed.', example: 'speed:fast' },
  tier: { type: 'text', of: 'session', about: 'It used this API service tier.', example: 'tier:priority' },
  cost: { type: 'dollars', of: 'session', about: 'Cost in dollars.', example: 'cost>1.50' },
  tokens: { type: 'count', of: 'session', about: 'Total tokens.', example: 'tokens>200k' },
  messages: { type: 'count', of: 'session', about: 'Number of messages.', example: 'messages>100' },
  duration: {
    type: 'duration',
    of: 'session',
    about: 'Time from its first to its last message.',
    example: 'duration>2h',
  },
  before: { type: 'date', of: 'session', about: 'It started before this time.', example: 'before:2026-11-01' },
  after: { type: 'date', of: 'session', about: 'It started at this time or later.', example: 'after:7d' },
  kind: {
    type: 'name',
    of: 'session',
    about: 'Kind of work, if there is clear evidence.',
    example: 'kind:debugging',
    values: WORK_KINDS,
  },
  is: { type: 'name', of: 'session', about: 'State of the session.', example: 'is:live', values: SESSION_FLAGS },
  has: {
    type: 'name',
    of: 'session',
    about: 'Contents of the session.',
    example: 'has:commit',
    values: SESSION_POSSESSIONS,
  },
} as const satisfies Record<string, SearchField>;

export type SearchFieldName = keyof typeof SEARCH_FIELDS;
