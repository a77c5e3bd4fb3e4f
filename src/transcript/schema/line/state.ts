import { z } from 'zod';
import { contentSchema } from '../block.ts';
import { anything, bool, fields, named, num, openFields, opt, opts, str, strs, variantsBy, word } from '../kit.ts';
import { type LineType, UNSEEN_LINE_TYPES } from '../line-types.ts';
import { permissionMode, stateFields } from '../message.ts';

/** A line outside the uuid chain: session state, usually rewritten often. */
function stateLine<const T extends string, S extends z.core.$ZodLooseShape>(type: T, description: string, shape: S) {
  return named(type, description, fields({ type: z.literal(type), ...stateFields, ...shape }));
}

/** A state line of which only the name and, at best, some fields are known. */
function openLine<const T extends string, S extends z.core.$ZodLooseShape>(type: T, description: string, shape: S) {
  return named(type, description, openFields({ type: z.literal(type), ...stateFields, ...shape }));
}

/** Backup of one file. Its name is null if the file did not exist yet. Never holds contents. */
const fileBackup = fields({
  ...opts(str, 'backupFileName', 'backupTime', 'realParentDir'),
  version: opt(num),
});

const modelUsage = openFields({
  ...opts(num, 'inputTokens', 'outputTokens', 'thinkingTokens', 'cacheReadInputTokens', 'cacheCreationInputTokens'),
  ...opts(num, 'webSearchRequests', 'costUSD'),
});

const UNSEEN = 'Name found in the client’s table of line types; in none of our files.';

/** Types that the client knows but that none of our files contain: any field is accepted. */
function unseenLines<const T extends string>(types: readonly T[]) {
  return Object.fromEntries(types.map((type) => [type, openLine(type, UNSEEN, {})])) as {
    readonly [K in T]: ReturnType<typeof openLine<K, {}>>;
  };
}

/** Line types outside the uuid chain, except the prompt queue. */
export const STATE_SCHEMAS = {
  summary: stateLine('summary', 'Title of a session, until 2.1.29.', { summary: str, leafUuid: opt(str) }),
  'ai-title': stateLine('ai-title', 'Title from the model; written repeatedly, the last one applies.', {
    aiTitle: str,
  }),
  'custom-title': stateLine('custom-title', 'Title set by the person (/rename); takes precedence over ai-title.', {
    customTitle: str,
  }),
  'agent-name': stateLine('agent-name', 'Name of the session among agents.', { agentName: str }),
  'last-prompt': stateLine('last-prompt', 'The newest prompt and the current leaf; the last one applies.', {
    ...opts(str, 'lastPrompt', 'leafUuid'),
    ...opts(bool, 'explicit', 'rewound'),
  }),
  mode: stateLine('mode', 'Input mode; the last one applies.', { mode: word('normal') }),
  'permission-mode': stateLine('permission-mode', 'Permission mode; the last one applies.', { permissionMode }),
  'atis-latch': stateLine('atis-latch', 'A flag of the client; empty in all files seen.', { atis: opt(anything) }),
  'tools-used': stateLine('tools-used', 'Names of the tools used so far; the last one applies.', { tools: opt(strs) }),

  'file-history-snapshot': stateLine('file-history-snapshot', 'The files backed up before a turn.', {
    messageId: opt(str),
    isSnapshotUpdate: opt(bool),
    snapshot: fields({
      ...opts(str, 'messageId', 'timestamp'),
      /** One old guide shows the content itself instead of the backup. */
      trackedFileBackups: opt(z.record(str, z.union([fileBackup, str]))),
    }),
  }),
  'file-history-delta': stateLine('file-history-delta', 'One more file backed up, from 2.1.210.', {
    ...opts(str, 'messageId', 'snapshotMessageId', 'trackingPath'),
    backup: opt(fileBackup),
  }),
  'pr-link': stateLine('pr-link', 'A pull request that the session created or viewed.', {
    prNumber: opt(num),
    ...opts(str, 'prUrl', 'prRepository'),
  }),
  'frame-link': stateLine(
    'frame-link',
    'A page (artifact) that the session published.',
    opts(str, 'frameUrl', 'title'),
  ),
  'bridge-session': stateLine('bridge-session', 'Remote-control session this one is bridged to.', {
    bridgeSessionId: opt(str),
    lastSequenceNum: opt(num),
  }),
  'worktree-state': stateLine('worktree-state', 'The session works in a git worktree; null when it has left it.', {
    worktreeSession: opt(
      openFields({
        ...opts(str, 'originalCwd', 'worktreePath', 'worktreeName', 'worktreeBranch', 'originalBranch'),
        ...opts(str, 'originalHeadCommit', 'sessionId'),
      }),
    ),
  }),
  relocated: stateLine('relocated', 'The session moved to another directory; its file may move too.', {
    relocatedCwd: opt(str),
  }),
  'fork-context-ref': stateLine(
    'fork-context-ref',
    'First line of a forked sub-agent: where its inherited context ends.',
    {
      ...opts(str, 'parentSessionId', 'parentLastUuid'),
      contextLength: opt(num),
    },
  ),
  'cost-state': stateLine('cost-state', 'The client’s running totals, from 2.1.290; the last one applies.', {
    ...opts(num, 'totalCostUSD', 'totalAPIDuration', 'totalAPIDurationWithoutRetries', 'totalToolDuration'),
    ...opts(num, 'totalDuration', 'totalLinesAdded', 'totalLinesRemoved', 'startTime'),
    hasUnknownModelCost: opt(bool),
    modelUsage: opt(z.record(str, modelUsage)),
  }),
  'api-request': stateLine(
    'api-request',
    'One request to the API, from 2.1.310: the first `keep` messages of `base`, then the blobs of `tail`.',
    {
      ...opts(str, 'id', 'querySource', 'shapeHash', 'base'),
      params: opt(anything),
      keep: opt(num),
      tail: opt(z.array(anything)),
      ...opts(anything, 'cacheControl', 'requestDigest'),
    },
  ),
  'api-request-shape': stateLine(
    'api-request-shape',
    'System prompt and tools of requests, by hash; the same in many sessions.',
    { shapeHash: opt(str), hash: opt(str), shape: opt(anything) },
  ),
  'api-request-blob': stateLine('api-request-blob', 'One message of requests, by hash.', {
    hash: opt(str),
    message: opt(anything),
  }),
  'api-request-resumed': openLine('api-request-resumed', 'A paused answer was continued by another request.', {
    ...opts(str, 'messageId', 'pausedRequestId', 'resumedRequestId'),
  }),
  'continued-in': openLine('continued-in', 'The conversation continues in another session.', {
    continuedInSessionId: opt(str),
  }),
  'content-replacement': openLine('content-replacement', 'Tool results replaced when the session is loaded.', {
    replacements: opt(anything),
  }),
  tag: openLine('tag', UNSEEN, { tag: opt(str) }),
  'agent-color': openLine('agent-color', UNSEEN, { agentColor: opt(str) }),
  'agent-setting': openLine('agent-setting', UNSEEN, { agentSetting: opt(str) }),
  ...unseenLines(UNSEEN_LINE_TYPES),
} satisfies Partial<Record<LineType, z.ZodType>>;

function operation<const T extends string>(name: T, description: string) {
  return named(
    `queue-operation.${name}`,
    description,
    fields({
      type: z.literal('queue-operation'),
      operation: z.literal(name),
      ...stateFields,
      content: opt(contentSchema),
      reason: opt(word('absorbed_mid_turn')),
      ...opts(str, 'commandUuid', 'deliveryId'),
    }),
  );
}

/** Operations on the queue of prompts. */
export const QUEUE_SCHEMAS = {
  enqueue: operation('enqueue', 'A prompt or notification was added to the queue.'),
  dequeue: operation('dequeue', 'The next one was taken from the queue.'),
  remove: operation('remove', 'One was removed, usually because it became part of the running turn.'),
  popAll: operation('popAll', 'All were moved back to the input line.'),
} satisfies Record<string, z.ZodType>;

export const QueueOperationLineSchema = variantsBy('operation', QUEUE_SCHEMAS);
