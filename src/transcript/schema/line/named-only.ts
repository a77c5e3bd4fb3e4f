import type { z } from 'zod';
import { anything, opt, str } from '../kit.ts';
import type { LineType } from '../line-types.ts';
import { openLine } from './state-line.ts';

const UNSEEN = 'In the client’s own table of line types; not seen by us.';

/** Types the client knows and none of our files holds: read, kept, and open to any field. */
export const NAMED_ONLY_SCHEMAS = {
  'continued-in': openLine('continued-in', 'The conversation goes on in another session.', {
    continuedInSessionId: opt(str),
  }),
  'resume-head-vouch': openLine('resume-head-vouch', UNSEEN, {}),
  'content-replacement': openLine('content-replacement', 'Tool results replaced when the session is loaded.', {
    replacements: opt(anything),
  }),
  'data-flow-records': openLine('data-flow-records', UNSEEN, {}),
  'data-flow-incomplete': openLine('data-flow-incomplete', UNSEEN, {}),
  'derived-from': openLine('derived-from', UNSEEN, {}),
  'ended-by-model': openLine('ended-by-model', UNSEEN, {}),
  tag: openLine('tag', UNSEEN, { tag: opt(str) }),
  'agent-color': openLine('agent-color', UNSEEN, { agentColor: opt(str) }),
  'agent-setting': openLine('agent-setting', UNSEEN, { agentSetting: opt(str) }),
  'artifact-comment-monitor': openLine('artifact-comment-monitor', UNSEEN, {}),
  'artifact-autoreact-ledger': openLine('artifact-autoreact-ledger', UNSEEN, {}),
  'history-suppression': openLine('history-suppression', UNSEEN, {}),
  'attribution-snapshot': openLine('attribution-snapshot', UNSEEN, {}),
  'isolation-latch': openLine('isolation-latch', UNSEEN, {}),
  'session-owner': openLine('session-owner', UNSEEN, {}),
  'dev-mods': openLine('dev-mods', UNSEEN, {}),
  'memory-mode': openLine('memory-mode', UNSEEN, {}),
  'observer-ref': openLine('observer-ref', UNSEEN, {}),
  'repl-mode': openLine('repl-mode', UNSEEN, {}),
} satisfies Partial<Record<LineType, z.ZodType>>;
