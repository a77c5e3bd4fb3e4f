import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { complaintOf, pathText } from './schema-complaint.ts';

function complain(schema: z.ZodType, value: unknown): string {
  const issue = schema.safeParse(value).error?.issues[0];
  return issue === undefined ? '' : `${pathText(issue.path)} ${complaintOf(issue)}`.trim();
}

// Regression: errors had zod's wording.
describe('a value that does not fit its schema', () => {
  it.each([
    [z.object({ a: z.number() }), { a: 'x' }, 'a must be a number'],
    [z.object({ a: z.object({ b: z.string() }) }), { a: { b: 1 } }, 'a.b must be a string'],
    [z.array(z.int()), [1.5], '[0] must be a whole number'],
    [z.enum(['on', 'off']), 'maybe', 'must be one of "on", "off"'],
    [z.string().max(3), 'long', 'must be at most 3 characters long'],
    [z.number().min(2), 1, 'must be at least 2'],
    [z.array(z.string()).min(1), [], 'must be at least 1 entries long'],
    [z.iso.datetime(), 'yesterday', 'must be a valid datetime'],
    [z.union([z.string(), z.number()]), true, 'must be a string'],
    [z.string({ error: 'must be a name' }), 1, 'must be a name'],
    [z.custom<never>(() => false), 1, 'is not valid'],
  ])('%#', (schema, value, sentence) => {
    expect(complain(schema, value)).toBe(sentence);
  });
});
