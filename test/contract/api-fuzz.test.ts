import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROUTES } from '../../src/server/routes.ts';
import { SESSION_ID } from '../browser/support/make-app.ts';
import { anyCharacter } from '../support/any-character.ts';
import { type ApiProgram, openApiProgram, TOKEN } from '../support/api-program.ts';
import { PROGRAMS } from '../support/programs.ts';
import { bodyOf, initOf, pathOf, requestOf, STACK_TRACE } from '../support/random-requests.ts';
import { scaled, size } from '../support/sizes.ts';

const BEARER = { authorization: `Bearer ${TOKEN}` };
const FUZZ_RUNS = size('FUZZ_RUNS', 40);
const GROUPS = Map.groupBy(ROUTES, ({ path }) => path.split('/').slice(1, 3).join('/'));

describe.each(PROGRAMS)('random requests to $name', (kind) => {
  let opened: ApiProgram;
  beforeAll(async () => void (opened = await openApiProgram(kind)));
  afterAll(() => opened[Symbol.asyncDispose]());
  const program = () => opened;

  it.each([...GROUPS])(`H13, H18: none of ${FUZZ_RUNS} random requests to /%s gets a 500`, async (_, routes) => {
    const { server, app, client } = program();
    const known = (await client.get('/sessions')).sessions[0]?.id ?? '';
    await server.request('/api/demo', { method: 'POST', headers: BEARER });
    await fc.assert(
      fc.asyncProperty(requestOf(routes), async (given) => {
        const response = await server.request(pathOf(given).replace(SESSION_ID, known), initOf(given, BEARER));
        const body = await bodyOf(response);
        expect(response.status, body).toBeLessThan(500);
        // Transcripts may contain stack traces.
        if (response.status >= 400) expect(body).not.toMatch(STACK_TRACE);
      }),
      { numRuns: FUZZ_RUNS },
    );
    expect(await app.store.engine.hasTable('sessions')).toBe(true);
  });

  it('H15: a forged cursor is accepted or rejected, but never causes an error', async () => {
    const date = fc.date({ noInvalidDate: true }).map((at) => at.toISOString());
    const place = fc.record({
      s: fc.oneof(date, fc.string()),
      i: fc.oneof(fc.string({ unit: anyCharacter }), fc.nat()),
    });
    const routes = ['/sessions', '/timeline', '/teams', '/workspaces'];
    await fc.assert(
      fc.asyncProperty(place, fc.constantFrom(...routes), async (forged, path) => {
        const cursor = Buffer.from(JSON.stringify(forged)).toString('base64url');
        const { status } = await program().server.request(`/api${path}?cursor=${cursor}`, { headers: BEARER });
        expect([200, 400]).toContain(status);
      }),
      { numRuns: scaled(60) },
    );
  });

  it('no internal error was logged', () => {
    expect(program().failures).toEqual([]);
  });
});
