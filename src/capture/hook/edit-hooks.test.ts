import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scaled } from '../../../test/support/sizes.ts';
import { parseJsonc } from '../settings/jsonc.ts';
import { addHooks, areHooksDisabled, type Created, findHooks, removeHooks } from './edit-hooks.ts';
import { HOOK_EVENTS } from './hook-events.ts';
import { hookCommand } from './hook-script.ts';

const COMMAND = hookCommand('/home/ada/.fuel-code/hooks/hook.sh');
const EVENTS = HOOK_EVENTS.map(({ event }) => event);

function roundTrip(text: string): string {
  const { text: installed, created } = addHooks(text, COMMAND);
  expect(
    findHooks(installed)
      .map(({ event }) => event)
      .sort(),
  ).toEqual(EVENTS.toSorted());
  return removeHooks(installed, new Set(created));
}

describe('our hooks in a settings file', () => {
  it('appear once per event, with matcher, timeout and command', () => {
    const { text } = addHooks('{}\n', COMMAND);
    const { hooks } = JSON.parse(text) as { hooks: Record<string, unknown> };
    const entry = { type: 'command', command: COMMAND, timeout: 5 };
    expect(hooks.SessionEnd).toEqual([{ hooks: [entry] }]);
    expect(hooks.PostToolUse).toEqual([{ matcher: expect.stringContaining('Skill'), hooks: [entry] }]);
    expect(Object.keys(hooks)).toEqual(EVENTS);
    expect(addHooks(text, COMMAND)).toEqual({ text, created: [] });
  });

  it('never include events whose hooks replace actions of Claude Code', () => {
    expect(EVENTS).not.toContain('WorktreeCreate');
    expect(EVENTS).not.toContain('WorktreeRemove');
  });

  it('never include events whose command line Claude Code prints after a compaction', () => {
    expect(EVENTS).not.toContain('PreCompact');
    expect(EVENTS).not.toContain('PostCompact');
  });

  it('follow the formatting of the file', () => {
    const { text } = addHooks('{\r\n\t"model": "opus" // mine\r\n}\r\n', COMMAND);
    expect(text).toMatch(/^\{\r\n\t"model": "opus", \/\/ mine\r\n\t"hooks": \{\r\n\t\t"SessionStart": \[\r\n/);
    expect(text.replaceAll('\r\n', '')).not.toContain('\n');
  });

  it('of an older version are replaced in place, and strays removed', () => {
    const old = { type: 'command', command: ': fuel-code hook; old', timeout: 1 };
    const theirs = { type: 'command', command: 'say done' };
    const hooks = {
      Stop: [{ hooks: [theirs, old] }, { matcher: '*', hooks: [old] }],
      SessionStart: [{ hooks: [old] }, { hooks: [old, theirs] }],
      Retired: [{ hooks: [old] }],
    };
    const { text } = addHooks(JSON.stringify({ hooks }, null, 2), COMMAND);
    const after = JSON.parse(text) as { hooks: Record<string, unknown> };
    const entry = { type: 'command', command: COMMAND, timeout: 5 };
    expect(after.hooks.Stop).toEqual([{ hooks: [theirs, entry] }]);
    expect(after.hooks.SessionStart).toEqual([{ hooks: [entry] }, { hooks: [theirs] }]);
    expect(after.hooks).not.toHaveProperty('Retired');
  });

  it('keep empty lists and objects that existed before', () => {
    for (const text of ['{"hooks":{}}', '{"hooks":{"Stop":[]}}', '{"hooks":{"Stop":[{"hooks":[]}]}}']) {
      expect(JSON.parse(roundTrip(text))).toEqual(JSON.parse(text));
    }
  });

  it('keep comments next to them', () => {
    const { text, created } = addHooks('{\n  "model": "opus"\n}\n', COMMAND);
    const remarked = text
      .replace(/("hooks": \{)/, '$1 // all of them')
      .replace(/\],(\s+"SessionEnd")/, '] /* up to here */, // and on$1');
    expect(remarked.match(/all of them|up to here|and on/g)).toHaveLength(3);
    const removed = removeHooks(remarked, new Set<Created>(created.filter((name) => name !== 'hooks')));
    expect(removed.match(/all of them|up to here|and on/g)).toHaveLength(3);
    expect(findHooks(removed)).toEqual([]);
  });

  it('leave nothing behind when the installation record is lost', () => {
    const all: Created[] = ['hooks', ...EVENTS.map((event): Created => `hooks.${event}`)];
    const { text } = addHooks('{\n  "model": "opus"\n}\n', COMMAND);
    expect(removeHooks(text, new Set(all))).toBe('{\n  "model": "opus"\n}\n');
  });

  it.each([
    ['[]', /not a JSON object/],
    ['{"hooks": []}', /"hooks" is not an object/],
    ['{"hooks": null}', /"hooks" is not an object/],
    ['{"hooks": {"Stop": {}}}', /"hooks.Stop" is not a list/],
    ['{"a": 1,, "b": 2}', /a key must be a string|a value is missing/],
    ['{"a": 1 "b": 2}', /comma/],
    ['{"a": 01}', /comma/],
    ["{'a': 1}", /a value is missing/],
    ['{"a": "line\nend"}', /a value is missing/],
    ['{"a": 1} {', /after the end/],
    ['{"a": /* 1}', /never closed/],
    ['{"a": tru}', /a value is missing/],
    ['{"a":', /ends too early/],
    [`{"a":${'['.repeat(500)}${']'.repeat(500)}}`, /nested deeper/],
  ])('reject settings they cannot be added to: %s', (text, why) => {
    expect(() => addHooks(text, COMMAND)).toThrow(why);
  });

  it('are reported as disabled when all hooks are', () => {
    expect(areHooksDisabled('{"disableAllHooks": true}')).toBe(true);
    expect(areHooksDisabled('{"disableAllHooks": "no"}')).toBe(false);
  });
});

/** JSON in any layout, with comments and trailing commas wherever they are allowed. */
function layOut(value: unknown, random: () => number): string {
  const gap = () => GAPS[random() % GAPS.length] ?? '';
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const isList = Array.isArray(value);
  const parts = Object.entries(value).map(([key, item]) => {
    const inner = layOut(item, random);
    return `${gap()}${isList ? '' : `${JSON.stringify(key)}${gap()}:${gap()}`}${inner}${gap()}`;
  });
  const trailing = parts.length > 0 && random() % 3 === 0 ? `,${gap()}` : '';
  const body = parts.join(',') + trailing + gap();
  return isList ? `[${body}]` : `{${body}}`;
}

const GAPS = ['', '', ' ', '\n', '\n  ', '\n    ', ' // note\n', '/* n */', '\t', '\r\n'];
const REMARK = /\/\/ note|\/\* n \*\//g;

const settings = fc.record(
  {
    model: fc.string(),
    permissions: fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 })),
    hooks: fc.dictionary(
      fc.constantFrom('Stop', 'SessionEnd', 'PreToolUse', '__proto__'),
      fc.array(fc.record({ matcher: fc.string(), hooks: fc.array(fc.record({ command: fc.string() })) }), {
        maxLength: 2,
      }),
    ),
    env: fc.jsonValue({ maxDepth: 1 }),
  },
  { requiredKeys: [] },
);

function valueOf(text: string): unknown {
  const read = (node: ReturnType<typeof parseJsonc>): unknown =>
    node.kind === 'scalar'
      ? node.value
      : node.kind === 'array'
        ? node.children.map((child) => read(child.node))
        : node.children.map((child) => [child.key, read(child.node)]);
  return read(parseJsonc(text));
}

describe('any settings in any layout', () => {
  it('A14: are equivalent after install and uninstall, and keep every comment', () => {
    fc.assert(
      fc.property(settings, fc.infiniteStream(fc.nat(1_000)), (value, numbers) => {
        const text = layOut(value, () => numbers.next().value as number);
        const after = roundTrip(text);
        expect(valueOf(after)).toEqual(valueOf(text));
        expect(after.match(REMARK)?.length).toBe(text.match(REMARK)?.length);
      }),
      { numRuns: scaled(100) },
    );
  });

  it('A14: are restored byte for byte when a program wrote them', () => {
    const indent = fc.constantFrom(2, 4, '\t');
    fc.assert(
      fc.property(settings, indent, (value, unit) => {
        const text = `${JSON.stringify(value, null, unit)}\n`;
        expect(roundTrip(text)).toBe(text);
      }),
      { numRuns: scaled(100) },
    );
  });
});
