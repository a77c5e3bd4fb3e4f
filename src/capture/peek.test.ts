import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { peekSessionId } from './peek.ts';

const folder = mkdtempSync(join(tmpdir(), 'fuel-code-peek-'));
afterAll(() => rmSync(folder, { recursive: true }));

it.each([
  ['as the client writes it', '{"type":"user","sessionId":"s-1"}\n', 's-1'],
  ['with spaces, as other tools write it', '{"type": "user", "sessionId" : "s-1"}\n', 's-1'],
  ['in a later line', '{"type":"mode"}\n{"sessionId":"s-2"}\n', 's-2'],
  ['in no line', '{"type":"mode"}\n', null],
])('finds the session of a file %s', (_, lines, id) => {
  const path = join(folder, 'file.jsonl');
  writeFileSync(path, lines);
  expect(peekSessionId(path)).toBe(id);
});
