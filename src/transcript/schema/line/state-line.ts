import { z } from 'zod';
import { stateFields } from '../envelope.ts';
import { fields, named, openFields } from '../kit.ts';

/** A line outside the uuid chain: state of the session, mostly rewritten often. */
export function stateLine<const T extends string, S extends z.core.$ZodLooseShape>(
  type: T,
  description: string,
  shape: S,
) {
  return named(type, description, fields({ type: z.literal(type), ...stateFields, ...shape }));
}

/** A state line of which we know the name and, at best, some fields. */
export function openLine<const T extends string, S extends z.core.$ZodLooseShape>(
  type: T,
  description: string,
  shape: S,
) {
  return named(type, description, openFields({ type: z.literal(type), ...stateFields, ...shape }));
}
