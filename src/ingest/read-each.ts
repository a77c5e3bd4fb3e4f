import { complaintOf, placeOf } from '../lib/schema-complaint.ts';
import type { z } from 'zod';
import type { IngestResults } from '../api/ingest.ts';

export type Result = IngestResults['results'][number];
export type Read<T> = { readonly item: T } | { readonly rejection: Result };

/** Validates each item of a batch; an invalid item yields a rejection without affecting the others. */
export function readEach<T>(schema: z.ZodType<T>, given: readonly unknown[]): readonly Read<T>[] {
  return given.map((one) => {
    const read = schema.safeParse(one);
    return read.success ? { item: read.data } : { rejection: rejectionOf(one, read.error) };
  });
}

function rejectionOf(given: unknown, { issues: [issue] }: z.ZodError): Result {
  const reason = issue === undefined ? 'is not valid' : `${placeOf(issue)}: ${complaintOf(issue)}`;
  return { id: idOf(given), status: 'rejected', reason };
}

function idOf(given: unknown): string | null {
  const id = typeof given === 'object' && given !== null && 'id' in given ? given.id : null;
  return typeof id === 'string' ? id.slice(0, 64) : null;
}
