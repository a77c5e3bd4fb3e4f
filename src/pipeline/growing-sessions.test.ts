import { describe, expect, it } from 'vitest';
import { PARSER_VERSION } from '../transcript/parser-version.ts';
import type { Fetched } from './fetch-files.ts';
import { canContinue, type KeptParse } from './growing-sessions.ts';

const FILE = { id: 'f1', kind: 'main', generation: 3, archivedBytes: 120 };
const AGENT = { id: 'f2', kind: 'subagent', generation: 1, archivedBytes: 50 };
const kept = {
  revision: 4,
  parsedVersion: 9,
  beside: '[]',
  files: [
    { id: 'f1', generation: 3, bytes: 100 },
    { id: 'f2', generation: 1, bytes: 50 },
  ],
} as unknown as KeptParse;

function fetched(main: object = {}, agent: object = {}, more: object = {}): Fetched {
  const transcripts = [
    { ...FILE, ...main },
    { ...AGENT, ...agent },
  ];
  const same = { revision: 4, parsedVersion: 9, parserVersion: PARSER_VERSION };
  return { ...same, all: transcripts, transcripts, ...more } as unknown as Fetched;
}

// Kills a mutant that continued reading in another generation.
describe('a parse continues where it stopped', () => {
  it('when the session has only grown', () => {
    expect(canContinue(kept, fetched())).toBe(true);
    expect(canContinue(kept, fetched({}, { archivedBytes: 70 }))).toBe(true);
  });

  it.each([
    ['its file was rewritten', fetched({ generation: 4 })],
    ['the file of a sub-agent was rewritten', fetched({}, { generation: 2 })],
    ['its file was replaced', fetched({ id: 'f9' })],
    ['its file became shorter', fetched({ archivedBytes: 99 })],
    ['another process has parsed it since', fetched({}, {}, { revision: 5 })],
    ['its rows have another version', fetched({}, {}, { parsedVersion: 8 })],
    ['the parser version has changed', fetched({}, {}, { parserVersion: PARSER_VERSION - 1 })],
    ['it has grown by more than should be held in memory', fetched({ archivedBytes: 100 + 5 * 1024 * 1024 })],
  ])('but not when %s', (_, now) => {
    expect(canContinue(kept, now)).toBe(false);
  });
});
