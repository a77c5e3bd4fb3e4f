import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runChecks } from '../../src/app/doctor.ts';
import { healthSentence } from '../../src/reading/health.ts';
import { type ApiProgram, openApiProgram } from '../support/api-program.ts';
import { fixedClock, PROGRAMS } from '../support/programs.ts';

describe.each(PROGRAMS)('the checkup of the page ($name)', (kind) => {
  let program: ApiProgram;
  beforeAll(async () => {
    program = await openApiProgram(kind);
  });
  afterAll(() => program[Symbol.asyncDispose]());

  it('has the findings of doctor, and a correct sentence about the files', async () => {
    const { client, app, reopen } = program;
    const full = await client.get('/checkup', { query: { full: true } });
    const doctor = await runChecks({ config: app.config, clock: fixedClock, openApp: reopen });
    const named = (checks: readonly { readonly name: string }[]) => checks.map(({ name }) => name).toSorted();
    expect(named(full.checks)).toEqual([...named(doctor), 'worker'].toSorted());
    for (const { name, message } of doctor.filter((check) => check.name !== 'disk'))
      expect(full.checks.filter((check) => check.name === name).map((check) => check.message)).toContain(message);
    const quick = await client.get('/checkup');
    expect(named(quick.checks)).not.toContain('store');
    const { found, empty, archived, waiting } = quick.files;
    expect([archived, waiting]).toEqual([found - empty, 0]);
    expect(healthSentence(quick, fixedClock.now())).toContain(`All ${found - empty} files archived`);
  });
});
