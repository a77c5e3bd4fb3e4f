import type { z } from 'zod';
import { compileFields, type FieldNode } from './fields.ts';
import { LINE_TYPES, type LineType } from './line-types.ts';
import { AssistantLineSchema } from './line/assistant.ts';
import { AttachmentLineSchema } from './line/attachment.ts';
import { ProgressLineSchema } from './line/progress.ts';
import { QueueOperationLineSchema } from './line/queue-operation.ts';
import { STATE_SCHEMAS } from './line/state.ts';
import { SystemLineSchema } from './line/system.ts';
import { UserLineSchema } from './line/user.ts';

/**
 * One tolerant zod schema per line type: unlisted fields are kept, unlisted kinds are accepted. `validateLine` adds the
 * strict view.
 */
export const LINE_SCHEMAS = {
  user: UserLineSchema,
  assistant: AssistantLineSchema,
  system: SystemLineSchema,
  attachment: AttachmentLineSchema,
  progress: ProgressLineSchema,
  'queue-operation': QueueOperationLineSchema,
  ...STATE_SCHEMAS,
} satisfies Record<LineType, z.ZodType>;

/** The TypeScript type of a line, for example `LineOf<'assistant'>`. */
export type LineOf<T extends LineType> = z.infer<(typeof LINE_SCHEMAS)[T]>;

let table: ReadonlyMap<string, FieldNode> | undefined;

/** Known fields of every line type, compiled on first use. */
export function lineFields(): ReadonlyMap<string, FieldNode> {
  table ??= new Map(LINE_TYPES.map((type) => [type, compileFields(LINE_SCHEMAS[type])]));
  return table;
}
