import { readAssistantLine } from './assistant.ts';
import { readAttachmentLine } from './attachment.ts';
import type { LineReader } from './context.ts';
import {
  readAgentNameLine,
  readAiTitleLine,
  readContinuedInLine,
  readCostStateLine,
  readCustomTitleLine,
  readForkContextRefLine,
  readLastPromptLine,
  readNotedLine,
  readPermissionModeLine,
  readPrLinkLine,
  readRelocatedLine,
  readSummaryLine,
  readWorktreeStateLine,
} from './state.ts';
import { readProgressLine } from './progress.ts';
import { readSystemLine } from './system.ts';
import { readQueueOperationLine } from './queue-operation.ts';
import { isLineType, type LineType } from '../schema/line-types.ts';
import { readUserLine } from './user.ts';

/** Line types that add something to the session. Other known types only get a place in the chain. */
const READERS: Partial<Record<LineType, LineReader>> = {
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
  'queue-operation': readQueueOperationLine,
  'pr-link': readPrLinkLine,
  'cost-state': readCostStateLine,
  'worktree-state': readWorktreeStateLine,
  relocated: readRelocatedLine,
  'fork-context-ref': readForkContextRefLine,
  'continued-in': readContinuedInLine,
};

/** Null for an unknown type. */
export function readerOf(type: unknown): LineReader | null {
  return isLineType(type) ? (READERS[type] ?? readNotedLine) : null;
}
