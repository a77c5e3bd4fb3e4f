import { z } from 'zod';
import { fields, named, openFields } from '../kit.ts';

/** An attachment kind whose fields are known. */
export function kind<const T extends string, S extends z.core.$ZodLooseShape>(type: T, description: string, shape: S) {
  return named(`attachment.${type}`, description, fields({ type: z.literal(type), ...shape }));
}

/** An attachment kind that is known by name, with the fields we know of. */
export function openKind<const T extends string, S extends z.core.$ZodLooseShape>(
  type: T,
  description: string,
  shape: S,
) {
  return named(`attachment.${type}`, description, openFields({ type: z.literal(type), ...shape }));
}
