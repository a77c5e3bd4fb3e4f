import type { TestProject } from 'vitest/node';
import { startPostgres } from './postgres.ts';
import { type S3Access, startS3 } from './s3.ts';
import { createTemplateDatabase } from './template-database.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Administrator URL of a real PostgreSQL >= 15; use createTestDatabase() to get a separate database. */
    postgresUrl: string;
    /** A database with all tables, to be used as a template. */
    postgresTemplate: string;
    /** A real server for the S3 protocol; use createTestBucket() to get a separate bucket. */
    s3: S3Access;
  }
}

interface Service {
  stop(): Promise<void>;
}

/** Starts the real servers once per run, in parallel; the function it returns stops them. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const [postgres, s3] = await startTogether([startPostgres(), startS3()]);
  const template = await createTemplateDatabase(postgres.url);
  project.provide('postgresUrl', postgres.url);
  project.provide('postgresTemplate', template.name);
  project.provide('s3', s3.access);
  return async () => {
    await template.drop();
    await stopAll([postgres, s3]);
  };
}

/** All or none: if one does not start, the others are stopped before its error is thrown. */
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
