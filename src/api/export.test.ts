import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { exportedSession } from './export.ts';

const FILE = join(import.meta.dirname, '../../docs/export-schema.json');

function schemaText(): string {
  const schema = z.toJSONSchema(exportedSession, { target: 'draft-2020-12', reused: 'ref' });
  const head = { title: 'A session exported as JSON', description: 'Generated from src/api/export.ts.' };
  return `${JSON.stringify({ ...head, ...schema }, null, 1)}\n`;
}

// Rewrite the file with: UPDATE_DOCS=1 npx vitest run src/api/export.test.ts
if (process.env['UPDATE_DOCS']) writeFileSync(FILE, schemaText());

it('docs/export-schema.json is up to date (else: UPDATE_DOCS=1 npx vitest run src/api/export.test.ts)', () => {
  expect(readFileSync(FILE, 'utf8') === schemaText()).toBe(true);
});
