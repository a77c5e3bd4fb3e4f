import type { z } from 'zod';
import { fields, named, openFields, type Shape } from '../kit.ts';

type Loose = z.core.$ZodLooseShape;

/** A result recognised by the fields in `has`. */
export function result<S extends Loose>(name: string, description: string, has: readonly string[], shape: S) {
  return { has, schema: named(`result.${name}`, description, fields(shape)) } satisfies Shape;
}

/** A result of which only some fields are known. */
export function openResult<S extends Loose>(name: string, description: string, has: readonly string[], shape: S) {
  return { has, schema: named(`result.${name}`, description, openFields(shape)) } satisfies Shape;
}
