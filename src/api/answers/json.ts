import { z } from 'zod';
import type { JsonObject, JsonValue } from '../../domain/transcript.ts';

/** Any JSON value found in a transcript. */
export const jsonValue: z.ZodType<JsonValue> = z.unknown() as unknown as z.ZodType<JsonValue>;
export const jsonObject: z.ZodType<JsonObject> = z.record(z.string(), z.unknown()) as unknown as z.ZodType<JsonObject>;

export const text = z.string();
export const textOrNull = z.string().nullable();
/** Counts and sizes; all are within JavaScript's safe integer range. */
export const count = z.number().int();
export const countOrNull = z.number().int().nullable();
export const texts = z.array(z.string()).readonly();
