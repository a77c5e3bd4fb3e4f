import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JsonProblem } from '../settings/jsonc.ts';
import { addServer, removeServer, type ServerEntry, stateOf } from './edit-servers.ts';

const ENTRY: ServerEntry = {
  type: 'stdio',
  command: '/usr/bin/node',
  args: ['/opt/fuel-code/bin/fuel-code', 'mcp'],
  env: {},
};

function roundTrip(text: string): string {
  const added = addServer(text, ENTRY);
  expect(stateOf(added.text, ENTRY)).toBe('installed');
  expect(addServer(added.text, ENTRY).text).toBe(added.text);
  return removeServer(added.text, new Set(added.created));
}

describe('our MCP server in a file of Claude Code', () => {
  it.each([
    '{}',
    '{}\n',
    '{\n  "numStartups": 4,\n  "projects": {\n    "/w": {"allowedTools": []}\n  }\n}',
    '{"a":1}',
    '{\r\n\t"mcpServers": {\r\n\t\t"other": {"command": "x", "args": ["fuel-code"]}\r\n\t}\r\n}\r\n',
    '{\n  // mine\n  "mcpServers": {}, // empty\n  "z": null\n}\n',
  ])('is added and removed without a trace: %j', (text) => {
    expect(roundTrip(text)).toBe(text);
  });

  it('leaves any other content unchanged', () => {
    const json = fc.jsonValue({ maxDepth: 3 });
    const key = fc.string().filter((name) => name !== 'mcpServers' && name !== '__proto__');
    fc.assert(
      fc.property(fc.dictionary(key, json, { noNullPrototype: true }), fc.constantFrom(0, 2, '\t'), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        expect(roundTrip(text)).toBe(text);
      }),
    );
  });

  it('replaces our entry for another installation', () => {
    const old = addServer('{"mcpServers":{"b":{"command":"b"}}}', { ...ENTRY, command: 'fuel-code', args: ['mcp'] });
    expect(stateOf(old.text, ENTRY)).toBe('outdated');
    const { text } = addServer(old.text, ENTRY);
    expect(JSON.parse(text)).toEqual({ mcpServers: { b: { command: 'b' }, 'fuel-code': ENTRY } });
  });

  it("does not touch someone else's server with our name", () => {
    const text = '{"mcpServers":{"fuel-code":{"command":"gas-station","args":["serve"]}}}';
    expect(stateOf(text, ENTRY)).toBe('foreign');
    expect(() => addServer(text, ENTRY)).toThrow('another MCP server is named "fuel-code"');
    expect(removeServer(text, new Set(['mcpServers']))).toBe(text);
  });

  it.each(['[]', '{"mcpServers": 3}', '{"a": }', ''])('rejects a file that it does not understand: %j', (text) => {
    expect(() => addServer(text, ENTRY)).toThrow(JsonProblem);
  });
});
