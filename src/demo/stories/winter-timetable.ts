import { VERSIONS } from '../client-version.ts';
import { createScribe, type Scribe } from '../scribe.ts';
import { ago, bash, type DemoFile, edit, HARBOUR, projectFolder, read, sessionId, transcriptFile } from '../story.ts';

const TIMETABLE = `${HARBOUR}/src/timetable.ts`;

const SOURCE = `import { islands } from './islands.ts';

const WINTER_OFFSET_MINUTES = 60;

export function departureAt(route: Route, day: Date): Date {
  const base = new Date(\`\${isoDay(day)}T\${route.leaves}:00Z\`);
  const offset = isWinter(day) ? WINTER_OFFSET_MINUTES : 120;
  return new Date(base.getTime() + offset * 60_000);
}

function isWinter(day: Date): boolean {
  return day.getMonth() < 3 || day.getMonth() > 9;
}`;

const FAILING = ` RUN  v4.1.12 ${HARBOUR}

 ✓ src/islands.test.ts (6 tests) 4ms
 ❯ src/timetable.test.ts (9 tests | 2 failed) 11ms
   × leaves Norrvik at 07:40 local time on 2 November
     → expected 06:40 to be 07:40
   × leaves Norrvik at 07:40 local time on 20 January
     → expected 06:40 to be 07:40

 Tests  2 failed | 13 passed (15)`;

const PASSING = ` RUN  v4.1.12 ${HARBOUR}

 ✓ src/islands.test.ts (6 tests) 4ms
 ✓ src/timetable.test.ts (11 tests) 9ms

 Tests  17 passed (17)`;

/** Today: a bug found, explained and fixed, with a prompt typed while the model worked. */
export function winterTimetable(now: Date): DemoFile[] {
  const id = sessionId('4be10a77');
  const scribe = createScribe({
    sessionId: id,
    cwd: HARBOUR,
    gitBranch: 'fix/winter-times',
    version: VERSIONS.today,
    model: 'claude-opus-5-5',
    startedAt: ago(now, 0, 2, 10),
  });
  openSession(scribe);
  scribe.prompt(
    'The timetable is one hour early since the clocks went back. Passengers at Norrvik are not amused. Find out why and fix it.',
  );
  addContext(scribe);
  findCause(scribe);
  queuePrompt(scribe);
  fixCause(scribe);
  closeSession(scribe);
  return [transcriptFile(`${projectFolder(HARBOUR)}/${id}.jsonl`, scribe)];
}

function openSession(scribe: Scribe): void {
  scribe.loose({ type: 'mode', mode: 'normal' });
  scribe.loose({ type: 'permission-mode', permissionMode: 'acceptEdits' });
}

function addContext(scribe: Scribe): void {
  scribe.chained({
    type: 'attachment',
    attachment: { type: 'environment', content: `Working directory: ${HARBOUR}\nPlatform: linux` },
  });
  scribe.chained({ type: 'attachment', attachment: { type: 'date', content: 'Today is a fine day for ferries.' } });
  scribe.chained({
    type: 'attachment',
    attachment: {
      type: 'instructions',
      content: '# harbour-ferry\nRun `npm test` before you say that something works.',
    },
  });
}

function findCause(scribe: Scribe): void {
  scribe.call(
    bash({
      command: 'npm test -- src/timetable.test.ts src/islands.test.ts',
      about: 'Run the timetable tests',
      output: FAILING,
      exitCode: 1,
      seconds: 4,
      think:
        'Departures that are an hour early only in winter smell like an offset applied on the wrong side. Tests first: do they see it?',
      say: 'Let me see whether the tests notice.',
    }),
  );
  scribe.call(
    read({
      path: TIMETABLE,
      content: SOURCE,
      say: 'They do: both failures are winter days. Now the code that computes departures.',
    }),
  );
}

function queuePrompt(scribe: Scribe): void {
  const text = 'While you are at it: add a test for the night of the switch itself, 25 October.';
  scribe.loose({ type: 'queue-operation', operation: 'enqueue', timestamp: scribe.now(), content: text });
  scribe.chained({
    type: 'attachment',
    attachment: {
      type: 'queued_command',
      prompt: text,
      commandMode: 'prompt',
      humanTurn: true,
      timestamp: scribe.now(),
    },
  });
  scribe.loose({ type: 'queue-operation', operation: 'remove', reason: 'absorbed_mid_turn', timestamp: scribe.now() });
}

function fixCause(scribe: Scribe): void {
  scribe.call(
    edit({
      path: TIMETABLE,
      before: `const WINTER_OFFSET_MINUTES = 60;

export function departureAt(route: Route, day: Date): Date {
  const base = new Date(\`\${isoDay(day)}T\${route.leaves}:00Z\`);
  const offset = isWinter(day) ? WINTER_OFFSET_MINUTES : 120;
  return new Date(base.getTime() + offset * 60_000);
}`,
      after: `/** Departures are written in harbour time; the zone's own rules say how far that is from UTC. */
export function departureAt(route: Route, day: Date): Date {
  const local = Temporal.PlainDateTime.from(\`\${isoDay(day)}T\${route.leaves}\`);
  return new Date(local.toZonedDateTime('Europe/Stockholm').epochMilliseconds);
}`,
      say: 'The month decides the offset, so 26 to 31 October count as summer and the sign is wrong on top of that. A date library that knows the zone removes the whole guess.',
    }),
  );
  scribe.call(
    edit({
      path: `${HARBOUR}/src/timetable.test.ts`,
      before: `test('leaves Norrvik at 07:40 local time on 20 January', () => {`,
      after: `test.each(['2026-10-24', '2026-10-25', '2026-10-26'])('leaves Norrvik at 07:40 local time on %s', (day) => {
  expect(clock(departureAt(norrvik, new Date(day)))).toBe('07:40');
});

test('leaves Norrvik at 07:40 local time on 20 January', () => {`,
    }),
  );
  scribe.call(
    bash({
      command: 'npm test -- src/timetable.test.ts src/islands.test.ts',
      about: 'Run the tests again',
      output: PASSING,
      seconds: 4,
    }),
  );
  scribe.call(
    bash({
      command: 'git commit -am "fix: departures follow the harbour\'s time zone"',
      about: 'Commit the fix',
      output:
        "[fix/winter-times 3f9c2aa] fix: departures follow the harbour's time zone\n 2 files changed, 12 insertions(+), 9 deletions(-)",
    }),
  );
  scribe.answer({
    text: `Fixed and committed as \`3f9c2aa\`.

**Why it was wrong**

1. \`isWinter\` looked at the month only, so the last days of October kept summer time.
2. In winter the offset was *added* to a time that was already local.

**What changed**

- \`departureAt\` asks the time zone instead of a constant; \`WINTER_OFFSET_MINUTES\` is gone.
- Three new tests cover the day before, of and after the switch, as you asked.

All 17 tests pass. The printed timetable in \`docs/\` was made with the old code; shall I print it again?`,
    think:
      'Both causes are fixed, the queued request is covered by the new tests. Mention the printed timetable, which was generated before.',
  });
}

function closeSession(scribe: Scribe): void {
  scribe.chained({ type: 'system', subtype: 'turn_duration', durationMs: 96_400, messageCount: 14, isMeta: false });
  scribe.wait(75);
  scribe.prompt('Yes, and thank you. The captain says hello ⛴️');
  scribe.call(
    bash({
      command: 'npm run print-timetable',
      about: 'Print the timetable',
      output: 'docs/timetable.pdf: 4 pages, 212 departures',
      seconds: 9,
    }),
  );
  scribe.answer({
    text: 'Done: `docs/timetable.pdf` has all 212 departures in harbour time. Greetings back to the bridge.',
  });
  scribe.loose({ type: 'ai-title', aiTitle: 'Winter timetable one hour early' });
  scribe.loose({
    type: 'last-prompt',
    lastPrompt: 'Yes, and thank you. The captain says hello ⛴️',
    leafUuid: scribe.mark(),
  });
}
