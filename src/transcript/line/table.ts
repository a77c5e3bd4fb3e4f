import { readAssistantLine } from './assistant.ts';
import { readAttachmentLine } from './attachment.ts';
import type { LineReader } from './context.ts';
import { readNotedLine } from './noted.ts';
import { readPermissionModeLine } from './permission-mode.ts';
import { readProgressLine } from './progress.ts';
import { readSummaryLine } from './summary.ts';
import { readSystemLine } from './system.ts';
import { readAgentNameLine, readAiTitleLine, readCustomTitleLine } from './titles.ts';
import { readLastPromptLine } from './last-prompt.ts';
import { readQueueOperationLine } from './queue-operation.ts';
import { readPrLinkLine } from './pr-link.ts';
import { readCostStateLine } from './cost-state.ts';
import { readWorktreeStateLine } from './worktree-state.ts';
import { readForkContextRefLine } from './fork-context-ref.ts';
import { readContinuedInLine } from './continued-in.ts';
import { readRelocatedLine } from './relocated.ts';
import { isLineType, type LineType } from '../schema/line-types.ts';
import { readUserLine } from './user.ts';

/** How each line type is understood. A type without a row does not compile. */
const READERS = {
  user: readUserLine,
  assistant: readAssistantLine,
  system: readSystemLine,
  attachment: readAttachmentLine,
  progress: readProgressLine,
  summary: readSummaryLine,
  'ai-title': readAiTitleLine,
  'custom-title': readCustomTitleLine,
  'agent-name': readAgentNameLine,
  'last-prompt': readLastPromptLine,
  'permission-mode': readPermissionModeLine,
  mode: readNotedLine,
  'queue-operation': readQueueOperationLine,
  'file-history-snapshot': readNotedLine,
  'file-history-delta': readNotedLine,
  'pr-link': readPrLinkLine,
  'cost-state': readCostStateLine,
  'api-request': readNotedLine,
  'api-request-shape': readNotedLine,
  'api-request-blob': readNotedLine,
  'worktree-state': readWorktreeStateLine,
  relocated: readRelocatedLine,
  'fork-context-ref': readForkContextRefLine,
  'bridge-session': readNotedLine,
  'atis-latch': readNotedLine,
  'tools-used': readNotedLine,
  'frame-link': readNotedLine,
  'continued-in': readContinuedInLine,
  'resume-head-vouch': readNotedLine,
  'content-replacement': readNotedLine,
  'data-flow-records': readNotedLine,
  'data-flow-incomplete': readNotedLine,
  'derived-from': readNotedLine,
  'ended-by-model': readNotedLine,
  tag: readNotedLine,
  'agent-color': readNotedLine,
  'agent-setting': readNotedLine,
  'artifact-comment-monitor': readNotedLine,
  'artifact-autoreact-ledger': readNotedLine,
  'history-suppression': readNotedLine,
  'attribution-snapshot': readNotedLine,
  'isolation-latch': readNotedLine,
  'session-owner': readNotedLine,
  'dev-mods': readNotedLine,
  'memory-mode': readNotedLine,
  'observer-ref': readNotedLine,
  'repl-mode': readNotedLine,
} satisfies Record<LineType, LineReader>;

export function readerOf(type: unknown): LineReader | null {
  return isLineType(type) ? READERS[type] : null;
}
