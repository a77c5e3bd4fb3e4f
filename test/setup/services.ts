import type { TestProject } from 'vitest/node';
import { startPostgres } from './postgres.ts';
import { type S3Access, startS3 } from './s3.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Administrator's URL of a real PostgreSQL >= 15; use createTestDatabase() for a database of your own. */
    postgresUrl: string;
    /** A real server of the S3 protocol; use createTestBucket() for a bucket of your own. */
    s3: S3Access;
  }
}

interface Service {
  stop(): Promise<void>;
}

/** Starts the real servers once per run, in parallel; the function it returns stops them. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const [postgres, s3] = await startTogether([startPostgres(), startS3()]);
  project.provide('postgresUrl', postgres.url);
  project.provide('s3', s3.access);
  return () => stopAll([postgres, s3]);
}

/** All or none: when one does not start, those that did are stopped before its error goes on. */
async function startTogether<A extends Service, B extends Service>(
  starting: readonly [Promise<A>, Promise<B>],
): Promise<readonly [A, B]> {
  const [a, b] = await Promise.allSettled(starting);
  if (a.status === 'fulfilled' && b.status === 'fulfilled') return [a.value, b.value];
  await stopAll([a, b].flatMap((each) => (each.status === 'fulfilled' ? [each.value] : [])));
  const reasons = [a, b].flatMap((each) => (each.status === 'rejected' ? [each.reason as unknown] : []));
  throw reasons.length === 1 ? reasons[0] : new AggregateError(reasons, reasons.map(String).join(' '));
}

async function stopAll(services: readonly Service[]): Promise<void> {
  const results = await Promise.allSettled(services.map((service) => service.stop()));
  const failed = results.find((result) => result.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}
