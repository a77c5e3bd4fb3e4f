import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { TestFile } from './parse-text.ts';

export interface SessionFiles {
  readonly sessionId: string;
  readonly files: readonly TestFile[];
}

const SESSION_FILE = /^([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\.jsonl$/;
const AGENT_FILE = /^agent-(.+)\.jsonl$/;

/** Sessions of a `projects` folder, each with the files in its own folder. */
export function* findSessions(projects: string): Generator<SessionFiles> {
  for (const project of readdirSync(projects)) {
    const folder = join(projects, project);
    for (const name of readdirSync(folder)) {
      const sessionId = SESSION_FILE.exec(name)?.[1];
      if (sessionId === undefined) continue;
      const agents = join(folder, sessionId, 'subagents');
      const agentFiles = existsSync(agents) ? readdirSync(agents).flatMap((file) => agentFile(join(agents, file))) : [];
      yield { sessionId, files: [{ bytes: readFileSync(join(folder, name)) }, ...agentFiles] };
    }
  }
}

function agentFile(path: string): readonly TestFile[] {
  const agentId = AGENT_FILE.exec(basename(path))?.[1];
  if (agentId === undefined) return [];
  const metaPath = path.replace(/\.jsonl$/, '.meta.json');
  const meta = existsSync(metaPath) ? { meta: JSON.parse(readFileSync(metaPath, 'utf8')) } : {};
  return [{ bytes: readFileSync(path), agentId, ...meta }];
}

export function* findFiles(folder: string, ending: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* findFiles(path, ending);
    else if (entry.name.endsWith(ending)) yield path;
  }
}
