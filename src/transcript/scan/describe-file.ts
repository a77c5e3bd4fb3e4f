import type { ScanFile } from './usage-rows.ts';

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/i;
const AGENT_NAME = /^agent-/;
const ASIDE_NAME = /^agent-a?side_question/;

/** What the path of a transcript under projects/ says: main or sub-agent file, and the session, if it names one. */
export function describeFile(path: string, index: number): ScanFile {
  const parts = path.split('/');
  const name = parts.at(-1) ?? '';
  const folders = parts.slice(0, -1);
  const isAgent = AGENT_NAME.test(name) || folders.includes('subagents');
  const named = isAgent ? folders[folders.lastIndexOf('subagents') - 1] : name;
  const sessionId = UUID.exec(named ?? '')?.[0] ?? '';
  return { index, sessionId, role: !isAgent ? 'main' : ASIDE_NAME.test(name) ? 'aside' : 'agent' };
}
