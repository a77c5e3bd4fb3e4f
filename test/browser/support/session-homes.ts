import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, symlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { STORIES, writeDemoHome } from '../../../src/demo/write-demo-home.ts';
import { findFiles } from '../../../src/transcript/testing/find-sessions.ts';

const ROOT = join(import.meta.dirname, '../../..');
const FIXTURES = [join(ROOT, 'src/transcript/fixtures'), join(ROOT, 'src/transcript/schema/fixtures')];
/** The demo and the fixtures are older than this. */
const NOW = new Date('2026-11-16T12:00:00.000Z');

/** A Claude home with every transcript of the repository: the demo stories and the parser fixtures. */
export async function writeFixtureHome(home: string): Promise<void> {
  await writeDemoHome(home, NOW, STORIES);
  const paths = FIXTURES.flatMap((folder) => [...findFiles(folder, '.jsonl')]);
  const sessions = Map.groupBy(paths, (path) => (FIXTURES.includes(dirname(path)) ? path : dirname(path)));
  for (const [name, files] of sessions) {
    const id = idOf(name.slice(ROOT.length));
    for (const file of files) copyInto(home, file, isAgent(file) ? `${id}/subagents/${basename(file)}` : `${id}.jsonl`);
  }
}

function copyInto(home: string, file: string, name: string): void {
  const target = join(home, 'projects/-home-ada-fixtures', name);
  mkdirSync(dirname(target), { recursive: true });
  cpSync(file, target);
}

const isAgent = (file: string) => basename(file).startsWith('agent-');

/** A session id is the file name, so each fixture gets one. */
function idOf(name: string): string {
  const hex = createHash('sha256').update(name).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** A Claude home with real sessions; this takes minutes, so it is only read if the variable is set. */
const REAL_HOME = process.env['TEST_CLAUDE_HOME'] ?? '';
export const HAS_REAL_SESSIONS = REAL_HOME !== '';

export function linkRealHome(home: string): void {
  symlinkSync(REAL_HOME, home);
}
