import { globSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
const IMPORT = /(?:from\s+|import\s*\(\s*)'(\.{1,2}\/[^']+\.ts)'/g;
/** A test that imports one of these uses PostgreSQL or S3. */
const SERVICES = ['test/setup/postgres.ts', 'test/support/test-database.ts', 'test/support/test-bucket.ts'];
const STATIC = [
  'test/architecture.test.ts',
  'test/docs.test.ts',
  'test/faults-doc.test.ts',
  'test/supply-chain.test.ts',
];

export type ProjectName = 'unit' | 'program' | 'services' | 'browser';

/**
 * The test files of each project. Imports decide, so there is no list to maintain: a test that starts using PostgreSQL
 * moves to `services` automatically.
 */
export function findTests(): Record<ProjectName, string[]> {
  const found: Record<ProjectName, string[]> = { unit: [], program: [], services: [], browser: [] };
  const files = globSync(['src/**/*.test.ts', 'test/**/*.test.ts'], { cwd: ROOT }).sort();
  for (const file of files) found[projectOf(file)].push(file);
  return found;
}

function projectOf(file: string): ProjectName {
  if (file.startsWith('test/browser/')) return 'browser';
  if (usesServices(file, new Set())) return 'services';
  return file.startsWith('src/') || STATIC.includes(file) ? 'unit' : 'program';
}

/** Only test code can import the test services, so source files of the program are not read. */
function usesServices(file: string, seen: Set<string>): boolean {
  if (SERVICES.includes(file)) return true;
  if (seen.has(file) || !(file.startsWith('test/') || file.endsWith('.test.ts'))) return false;
  seen.add(file);
  return [...readFileSync(join(ROOT, file), 'utf8').matchAll(IMPORT)].some(([, target = '']) =>
    usesServices(join(dirname(file), target), seen),
  );
}
