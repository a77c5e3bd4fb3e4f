import { z } from 'zod';
import { contentSchema } from '../block.ts';
import { stateFields } from '../envelope.ts';
import { fields, named, opt, str, variantsBy, word } from '../kit.ts';

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
      commandUuid: opt(str),
      deliveryId: opt(str),
    }),
  );
}

/** Operations on the queue of prompts. */
export const QUEUE_SCHEMAS = {
  enqueue: operation('enqueue', 'A prompt or notification waits for its turn.'),
  dequeue: operation('dequeue', 'The next one was taken.'),
  remove: operation('remove', 'One was taken out, mostly because the running turn took it in.'),
  popAll: operation('popAll', 'All were taken back into the input line.'),
} satisfies Record<string, z.ZodType>;

export const QueueOperationLineSchema = variantsBy('operation', QUEUE_SCHEMAS);
