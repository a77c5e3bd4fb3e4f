import type { z } from 'zod';
import { FuelError } from '../../domain/errors.ts';
import type { Intake } from '../../ingest/intake.ts';
import { eventBatchSchema } from '../../ingest/upload-schema.ts';
import type { Route, RouteScope } from '../route.ts';
import { readBody } from '../security.ts';

export const eventIngestRoute: Route = {
  method: 'POST',
  path: '/api/events/ingest',
  about: 'Takes events of another device, up to 200 at a time; says of each what became of it.',
  access: 'bearer',
  body: 'own',
  async handle(context, scope) {
    const batch = parseJson(Buffer.from(await readBody(context)).toString('utf8'), eventBatchSchema, 'The body');
    return context.json(await intakeOf(scope).takeEvents(batch.device, batch.events));
  },
};

/** Errors: not_found where nothing is taken. */
export function intakeOf({ intake }: RouteScope): Intake {
  if (intake !== null) return intake;
  throw new FuelError('not_found', 'This server takes nothing from other devices.');
}

/** JSON as the schema wants it. Errors: usage, naming the first field that is wrong. */
export function parseJson<T>(text: string, schema: z.ZodType<T>, what: string): T {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new FuelError('usage', `${what} is not JSON.`, { cause });
  }
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  throw new FuelError('usage', `${what}: ${issue?.path.join('.') || 'it'} ${issue?.message ?? 'is not valid'}.`, {
    hint: 'docs/api.md lists what every route takes.',
  });
}
