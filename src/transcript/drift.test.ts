import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HAS_REAL_FILES } from '../../test/support/shared-data.ts';
import { createDrift, type DriftEntry, type DriftReport, MAX_DRIFT_ENTRIES, mergeDrift } from './drift.ts';
import { fixtureLines, hostileJson, LINE_FIXTURES, realLines } from './testing/schema-lines.ts';

const user = { type: 'user', uuid: 'u', sessionId: 's', timestamp: 't', message: { role: 'user', content: 'x' } };

function see(...records: readonly (readonly [unknown, string | null])[]): DriftReport {
  const drift = createDrift();
  for (const [record, version] of records) drift.see(record, version);
  return drift.report();
}

describe('drift', () => {
  it('is empty for known lines', () => {
    const lines = LINE_FIXTURES.flatMap(fixtureLines);
    const { length: records } = lines;
    const versions = [{ version: '2.1.325', records, known: records }];
    expect(see(...lines.map((line) => [line, '2.1.325'] as const))).toEqual({ versions, entries: [], overflow: 0 });
  });

  it('counts by version and path', () => {
    const odd = { ...user, message: { role: 'user', content: [{ type: 'text', text: 'x', mood: 'good' }] } };
    expect(see([odd, '2.2.0'], [odd, '2.2.0'], [odd, '2.3.0']).entries).toEqual([
      { version: '2.2.0', kind: 'field', path: 'user.message.content[]<text>.mood', count: 2, exampleType: 'string' },
      { version: '2.3.0', kind: 'field', path: 'user.message.content[]<text>.mood', count: 1, exampleType: 'string' },
    ]);
  });

  it.each([
    ['a line type', { type: 'brand-new' }, 'line_type', 'brand-new', 'object'],
    ['no line type', { a: 1 }, 'line_type', '(hidden)', 'object'],
    ['a line that is no object', 'text', 'line_type', '(hidden)', 'string'],
    ['a subtype', { ...user, type: 'system', subtype: 'brand_new' }, 'variant', 'system<brand_new>', 'object'],
    ['a JSON type', { ...user, cwd: ['/'] }, 'json_type', 'user.cwd', 'array'],
    [
      'a field of a subtype',
      { ...envelope(), type: 'system', subtype: 'turn_duration', mood: 1 },
      'field',
      'system<turn_duration>.mood',
      'number',
    ],
    [
      'a field below keys that are data',
      { type: 'file-history-snapshot', snapshot: { trackedFileBackups: { '/home/ada/secret.txt': { mood: 1 } } } },
      'field',
      'file-history-snapshot.snapshot.trackedFileBackups.*.mood',
      'number',
    ],
  ])('reports %s', (_, record, kind, path, exampleType) => {
    expect(see([record, '9.9.9']).entries).toContainEqual({ version: '9.9.9', kind, path, count: 1, exampleType });
  });

  // Regression: only fields were reported; kinds inside tool results and new values of known fields were not.
  it.each([
    [
      'a kind of block inside a tool result',
      { content: [{ type: 'tool_result', tool_use_id: 't', content: [{ type: 'hologram' }] }] },
      {},
      'variant',
      'user.message.content[]<tool_result>.content[]<hologram>',
    ],
    ['a permission mode', { content: 'x' }, { permissionMode: 'yolo' }, 'value', 'user.permissionMode=yolo'],
    ['an origin', { content: 'x' }, { origin: { kind: 'oracle', more: 1 } }, 'value', 'user.origin.kind=oracle'],
    ['a denial', { content: 'x' }, { toolDenialKind: 'by-moon' }, 'value', 'user.toolDenialKind=by-moon'],
  ])('reports %s', (_, message, rest, kind, path) => {
    const { entries, versions } = see([{ ...user, ...rest, message: { role: 'user', ...message } }, '9.9.9']);
    expect(entries.map((entry) => [entry.kind, entry.path])).toEqual([[kind, path]]);
    expect(versions).toEqual([{ version: '9.9.9', records: 1, known: 0 }]);
  });

  it.each([
    ['stop_reason', 'melted'],
    ['service_tier', 'gold'],
    ['speed', 'warp'],
  ])('reports an unknown %s', (field, value) => {
    const usage = { input_tokens: 1, output_tokens: 1, ...(field === 'stop_reason' ? {} : { [field]: value }) };
    const message = { content: [], usage, ...(field === 'stop_reason' ? { stop_reason: value } : {}) };
    const { entries } = see([{ ...envelope(), type: 'assistant', message }, '9.9.9']);
    expect(entries.map((entry) => entry.path.split('.').at(-1))).toEqual([`${field}=${value}`]);
  });

  it('shows no value that may be user data', () => {
    const values = ['correct horse battery', 'sk-ant-0123456789', 'x'.repeat(40), '/home/ada', ''];
    const report = see(...values.map((permissionMode) => [{ ...user, permissionMode }, '1.0.0'] as const));
    expect(report.entries.map(({ path, count }) => [path, count])).toEqual([
      ['user.permissionMode=(hidden)', values.length],
    ]);
  });

  it('names the fields of a tool result with an unknown shape', () => {
    expect(
      see([{ ...user, toolUseResult: { brew: 1, cups: [] } }, '9.9.9']).entries.map((entry) => entry.path),
    ).toEqual(['user.toolUseResult<?>', 'user.toolUseResult<?>.brew', 'user.toolUseResult<?>.cups']);
  });

  it('ignores tool inputs, which the model writes', () => {
    const content = [{ type: 'tool_use', id: 't', name: 'Bash', input: { invented: 1 } }];
    expect(see([{ ...envelope(), type: 'assistant', message: { content } }, '9.9.9']).entries).toEqual([]);
  });

  it('shows no name that may be user data', () => {
    const record = { ...user, '/home/ada/secret.txt': 1, [`x${'y'.repeat(80)}`]: 1, 'two words': 1 };
    expect(see([record, 'my version']).entries).toEqual([
      { version: 'unknown', kind: 'field', path: 'user.(hidden)', count: 3, exampleType: 'number' },
    ]);
  });

  it('keeps names like __proto__ separate', () => {
    const record = JSON.parse('{"type":"summary","summary":"x","__proto__":{"a":1},"constructor":1}') as unknown;
    const report = see([record, '1.0.0']);
    expect(report.entries.map((entry) => entry.path)).toEqual(['summary.__proto__', 'summary.constructor']);
  });

  it('is bounded and counts omitted entries', () => {
    const drift = createDrift();
    for (let i = 0; i < MAX_DRIFT_ENTRIES + 50; i++) drift.see({ ...user, [`field${i}`]: 1 }, '1.0.0');
    const report = drift.report();
    expect(report.entries).toHaveLength(MAX_DRIFT_ENTRIES);
    expect(report.overflow).toBe(50);
  });

  it('contains no value of a line', () => {
    fc.assert(
      fc.property(fc.array(hostileJson), (values) => {
        const secret = 'correct horse battery';
        const report = see(...values.map((value) => [{ ...user, secret, deep: { secret, value } }, '1.0.0'] as const));
        expect(JSON.stringify(report)).not.toContain(secret);
      }),
    );
  });
});

describe('reports', () => {
  it('merge to the result of a single count over all', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(hostileJson, fc.constantFrom('1.0.0', '2.0.0', null))),
        fc.nat(),
        (records, cut) => {
          const at = cut % (records.length + 1);
          const parts = [see(...records.slice(0, at)), see(...records.slice(at))];
          expect(withoutTypes(mergeDrift(...parts))).toEqual(withoutTypes(see(...records)));
          expect(withoutTypes(mergeDrift(...parts.toReversed()))).toEqual(withoutTypes(see(...records)));
        },
      ),
      { numRuns: 500 },
    );
  });

  it('merge overflow counts, and can overflow themselves', () => {
    const entry = { version: '1.0.0', kind: 'field', count: 2, exampleType: 'null' } as const;
    const full = Array.from({ length: MAX_DRIFT_ENTRIES }, (_, i) => ({ ...entry, path: `user.a${i}` }));
    const a = { versions: [{ version: '1.0.0', records: 5, known: 2 }], entries: full, overflow: 3 };
    const versions = [
      { version: '1.0.0', records: 7, known: 7 },
      { version: '2.0.0', records: 1, known: 0 },
    ];
    const b = { versions, entries: [full[0] ?? entry, { ...entry, path: 'user.b' }] as DriftEntry[], overflow: 1 };
    const merged = mergeDrift(a, b);
    expect(merged.overflow).toBe(3 + 1 + 2);
    expect(merged.versions).toEqual([
      { version: '1.0.0', records: 12, known: 9 },
      { version: '2.0.0', records: 1, known: 0 },
    ]);
    expect(merged.entries[0]).toMatchObject({ path: 'user.a0', count: 4 });
  });

  it('merge to an empty report if there are none', () => {
    expect(mergeDrift()).toEqual({ versions: [], entries: [], overflow: 0 });
  });
});

describe.runIf(HAS_REAL_FILES)('drift of the real files', () => {
  it('consists of two lines of a history.jsonl, which is not a transcript', () => {
    const drift = createDrift();
    for (const { value, version } of realLines()) drift.see(value, version);
    const { versions, ...rest } = drift.report();
    expect(versions.reduce((sum, { records }) => sum + records, 0)).toBeGreaterThan(12_000);
    expect(rest).toEqual({
      entries: [{ version: 'unknown', kind: 'line_type', path: '(hidden)', count: 2, exampleType: 'object' }],
      overflow: 0,
    });
  });
});

function envelope() {
  return { uuid: 'u', sessionId: 's', timestamp: 't' };
}

function withoutTypes(report: DriftReport): unknown {
  return { ...report, entries: report.entries.map((entry) => ({ ...entry, exampleType: 'any' })) };
}
