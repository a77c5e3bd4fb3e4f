/**
 * Progress lines are by far the most frequent (2.1.7 to 2.1.81) and tell the least. One that holds nothing but these
 * keys, each with a value of its type, is read without JSON.parse. All keys are such that the schemas know: where a line
 * has another, the drift report has to see it.
 */
export const FLAT_TYPES = { text: 1, number: 2, flag: 4, null: 8, object: 16 } as const;

export interface FlatKey {
  readonly types: number;
  /** Whether its value is wanted. */
  readonly isRead?: true;
}

const TEXT = FLAT_TYPES.text;
const TEXT_OR_NULL = FLAT_TYPES.text | FLAT_TYPES.null;
const NUMBER_OR_NULL = FLAT_TYPES.number | FLAT_TYPES.null;

export const FLAT_LINE_TYPE = 'progress';

export const FLAT_LINE_KEYS = {
  type: { types: TEXT, isRead: true },
  uuid: { types: TEXT, isRead: true },
  parentUuid: { types: TEXT_OR_NULL, isRead: true },
  timestamp: { types: TEXT, isRead: true },
  sessionId: { types: TEXT, isRead: true },
  version: { types: TEXT, isRead: true },
  cwd: { types: TEXT, isRead: true },
  gitBranch: { types: TEXT, isRead: true },
  slug: { types: TEXT, isRead: true },
  agentId: { types: TEXT, isRead: true },
  isSidechain: { types: FLAT_TYPES.flag, isRead: true },
  data: { types: FLAT_TYPES.object, isRead: true },
  userType: { types: TEXT_OR_NULL },
  toolUseID: { types: TEXT_OR_NULL },
  parentToolUseID: { types: TEXT_OR_NULL },
} as const satisfies Readonly<Record<string, FlatKey>>;

/** The values that are wanted, in the order of their slots; the last is that of `data`. */
export const FLAT_SLOTS = [
  ...Object.entries(FLAT_LINE_KEYS).flatMap(([key, about]) => ('isRead' in about ? [key] : [])),
  'data.type',
];

/** What `data` may hold besides its type, for each of its types. */
export const FLAT_DATA_KEYS = {
  bash_progress: {
    output: TEXT_OR_NULL,
    fullOutput: TEXT_OR_NULL,
    elapsedTimeSeconds: NUMBER_OR_NULL,
    totalLines: NUMBER_OR_NULL,
    totalBytes: NUMBER_OR_NULL,
    taskId: TEXT_OR_NULL,
    timeoutMs: NUMBER_OR_NULL,
  },
  hook_progress: {
    hookEvent: TEXT_OR_NULL,
    hookName: TEXT_OR_NULL,
    command: TEXT_OR_NULL,
    statusMessage: TEXT_OR_NULL,
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, number>>>>;
