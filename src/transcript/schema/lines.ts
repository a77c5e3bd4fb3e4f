import type { z } from 'zod';
import { AgentNameLineSchema } from './line/agent-name.ts';
import { AiTitleLineSchema } from './line/ai-title.ts';
import { ApiRequestLineSchema } from './line/api-request.ts';
import { ApiRequestBlobLineSchema } from './line/api-request-blob.ts';
import { ApiRequestShapeLineSchema } from './line/api-request-shape.ts';
import { AssistantLineSchema } from './line/assistant.ts';
import { AtisLatchLineSchema } from './line/atis-latch.ts';
import { AttachmentLineSchema } from './line/attachment.ts';
import { BridgeSessionLineSchema } from './line/bridge-session.ts';
import { CostStateLineSchema } from './line/cost-state.ts';
import { CustomTitleLineSchema } from './line/custom-title.ts';
import { FileHistoryDeltaLineSchema } from './line/file-history-delta.ts';
import { FileHistorySnapshotLineSchema } from './line/file-history-snapshot.ts';
import { ForkContextRefLineSchema } from './line/fork-context-ref.ts';
import { FrameLinkLineSchema } from './line/frame-link.ts';
import { LastPromptLineSchema } from './line/last-prompt.ts';
import { ModeLineSchema } from './line/mode.ts';
import { NAMED_ONLY_SCHEMAS } from './line/named-only.ts';
import { PermissionModeLineSchema } from './line/permission-mode.ts';
import { PrLinkLineSchema } from './line/pr-link.ts';
import { ProgressLineSchema } from './line/progress.ts';
import { QueueOperationLineSchema } from './line/queue-operation.ts';
import { RelocatedLineSchema } from './line/relocated.ts';
import { SummaryLineSchema } from './line/summary.ts';
import { SystemLineSchema } from './line/system.ts';
import { ToolsUsedLineSchema } from './line/tools-used.ts';
import { UserLineSchema } from './line/user.ts';
import { WorktreeStateLineSchema } from './line/worktree-state.ts';
import type { LineType } from './line-types.ts';

/**
 * One zod schema per line type, tolerant: fields not listed are kept, kinds not listed pass.
 * `validateLine` adds the strict view.
 */
export const LINE_SCHEMAS = {
  user: UserLineSchema,
  assistant: AssistantLineSchema,
  system: SystemLineSchema,
  attachment: AttachmentLineSchema,
  progress: ProgressLineSchema,
  summary: SummaryLineSchema,
  'ai-title': AiTitleLineSchema,
  'custom-title': CustomTitleLineSchema,
  'agent-name': AgentNameLineSchema,
  'last-prompt': LastPromptLineSchema,
  mode: ModeLineSchema,
  'permission-mode': PermissionModeLineSchema,
  'atis-latch': AtisLatchLineSchema,
  'tools-used': ToolsUsedLineSchema,
  'queue-operation': QueueOperationLineSchema,
  'file-history-snapshot': FileHistorySnapshotLineSchema,
  'file-history-delta': FileHistoryDeltaLineSchema,
  'pr-link': PrLinkLineSchema,
  'frame-link': FrameLinkLineSchema,
  'bridge-session': BridgeSessionLineSchema,
  'worktree-state': WorktreeStateLineSchema,
  relocated: RelocatedLineSchema,
  'fork-context-ref': ForkContextRefLineSchema,
  'cost-state': CostStateLineSchema,
  'api-request': ApiRequestLineSchema,
  'api-request-shape': ApiRequestShapeLineSchema,
  'api-request-blob': ApiRequestBlobLineSchema,
  ...NAMED_ONLY_SCHEMAS,
} satisfies Record<LineType, z.ZodType>;

/** The TypeScript type of a line, for example `LineOf<'assistant'>`. */
export type LineOf<T extends LineType> = z.infer<(typeof LINE_SCHEMAS)[T]>;
