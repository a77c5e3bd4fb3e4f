import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JsonProblem } from '../settings/jsonc.ts';
import {
  isOurs,
  restoreStatusLine,
  type StatusLineEntry,
  setStatusLine,
  sourceOf,
  stateOf,
} from './edit-status-line.ts';

const ENTRY: StatusLineEntry = { type: 'command', command: "/usr/bin/node '/opt/my bin/fuel-code' statusline" };

function roundTrip(text: string): string {
  const before = sourceOf(text);
  const added = setStatusLine(text, ENTRY);
  expect(stateOf(added, ENTRY)).toBe('installed');
  expect(setStatusLine(added, ENTRY)).toBe(added);
  return restoreStatusLine(added, before);
}

describe('our status line in the settings of Claude Code', () => {
  it.each([
    '{}\n',
    '{"a":1}',
    '{\n  // why\n  "model": "opus",\n}\n',
    '{\r\n\t"statusLine": { "type": "command", /* mine */ "command": "~/x.sh" }, // note\r\n\t"b": [1]\r\n}\r\n',
    '{"statusLine": null, "c": {"statusLine": 1}}',
  ])('is added and removed without a trace: %j', (text) => {
    expect(roundTrip(text)).toBe(text);
  });

  it('leaves any settings unchanged', () => {
    const settings = fc.dictionary(fc.oneof(fc.constant('statusLine'), fc.string()), fc.jsonValue(), { maxKeys: 6 });
    fc.assert(
      fc.property(settings, fc.constantFrom(0, 2), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        expect(JSON.parse(roundTrip(text))).toEqual(JSON.parse(text));
      }),
    );
  });

  it('recognizes ours wherever it is installed, and no other', () => {
    const settings = (command: string) => JSON.stringify({ statusLine: { type: 'command', command } });
    const ours = [
      'fuel-code statusline',
      "node '/a b/fuel-code' statusline --format '{model}'",
      'node src/main.ts statusline',
    ];
    const others = ['~/fuel-code-line.sh', 'ccusage statusline', 'fuel-code status'];
    expect(ours.map((command) => isOurs(settings(command)))).toEqual([true, true, true]);
    expect(others.map((command) => isOurs(settings(command)))).toEqual([false, false, false]);
    expect(stateOf(settings('ccusage statusline'), ENTRY)).toBe('foreign');
    expect(stateOf(settings('fuel-code statusline'), ENTRY)).toBe('outdated');
  });

  it.each(['[]', '{"a":', ''])('rejects %j', (text) => {
    expect(() => setStatusLine(text, ENTRY)).toThrow(JsonProblem);
  });
});
