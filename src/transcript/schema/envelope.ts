import { bool, fields, openFields, opt, str, word } from './kit.ts';

/** What tools may do without asking. */
export const permissionMode = word(
  'default',
  'acceptEdits',
  'bypassPermissions',
  'plan',
  'auto',
  'dontAsk',
  'delegate',
);

/** Origin of a prompt. */
export const promptOrigin = openFields({
  kind: opt(word('human', 'task-notification', 'coordinator', 'peer', 'teammate', 'system', 'sdk', 'scheduled')),
});

/** Fields of every line in the uuid chain: user, assistant, system, attachment, progress. */
export const chainFields = {
  uuid: str,
  parentUuid: opt(str),
  logicalParentUuid: opt(str),
  sessionId: str,
  /** The id the process was started with; differs from sessionId after /clear and on lines copied by a fork. */
  session_id: opt(str),
  sessionKind: opt(str),
  timestamp: str,
  isSidechain: opt(bool),
  isMeta: opt(bool),
  /** `external` outside Anthropic. */
  userType: opt(str),
  entrypoint: opt(word('cli', 'sdk-cli', 'claude-desktop', 'claude-vscode', 'remote_mobile')),
  cwd: opt(str),
  version: opt(str),
  gitBranch: opt(str),
  slug: opt(str),
  agentId: opt(str),
  agentName: opt(str),
  teamName: opt(str),
  forkedFrom: opt(fields({ sessionId: opt(str), messageUuid: opt(str) })),
};

/** Fields a line outside the chain may have. Most have only the session id. */
export const stateFields = {
  sessionId: opt(str),
  session_id: opt(str),
  timestamp: opt(str),
  uuid: opt(str),
  agentId: opt(str),
  version: opt(str),
};
