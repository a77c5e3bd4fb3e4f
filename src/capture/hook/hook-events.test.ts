import { describe, expect, it } from 'vitest';
import { HOOK_EVENTS, hookEventsFor } from './hook-events.ts';

const names = (version: string | null) => hookEventsFor(version).map(({ event }) => event);
const LATER = ['StopFailure', 'SubagentStart'];

describe('the events we subscribe to', () => {
  it.each([null, '2.0.30', '2.1.47', '2.1.79'])(
    'A16: leave out what a client of version %s may not know',
    (version) => {
      expect(names(version)).toEqual(expect.arrayContaining(['SessionStart', 'SessionEnd', 'Stop', 'SubagentStop']));
      for (const event of LATER) expect(names(version)).not.toContain(event);
    },
  );

  it.each([
    ['1.0.61', ['Stop', 'SubagentStop', 'PostToolUse']],
    ['1.0.84', ['SessionStart', 'Stop', 'SubagentStop', 'PostToolUse']],
  ])('A16: leave out starts and ends for a client of version %s, which does not know them', (version, events) => {
    expect(names(version)).toEqual(events);
  });

  it.each(['2.1.80', '2.1.325', '2.2.0', '3.0.0'])('are all of them for a client of version %s', (version) => {
    expect(hookEventsFor(version)).toEqual(HOOK_EVENTS);
  });
});
