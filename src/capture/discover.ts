import { type Dirent, lstatSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { join, sep } from 'node:path';

export type FileKind = 'main' | 'agent' | 'agent_meta';

/** A file of a Claude home that belongs to a session. */
export interface FoundFile {
  /** Relative to the Claude home, with forward slashes. */
  readonly path: string;
  readonly absolutePath: string;
  readonly kind: FileKind;
  /** Null when only the lines can tell. */
  readonly sessionId: string | null;
  readonly agentId: string | null;
  readonly sizeBytes: number;
  readonly mtimeMs: number;
  readonly inode: string;
}

export interface Discovery {
  /** Whether the home has a projects folder at all. */
  readonly exists: boolean;
  readonly files: readonly FoundFile[];
  /** What was not read, and why; shown by `doctor`. */
  readonly skipped: readonly { readonly path: string; readonly reason: string }[];
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const AGENT_FILE = /^agent-(.+?)(\.meta\.json|\.jsonl)$/;
const MAX_DEPTH_BELOW_SESSION = 6;
const PROJECTS = 'projects';

/**
 * Lists the transcripts of a Claude home without reading any: main files, sub-agent files in every layout, and their
 * `.meta.json`. Synchronous, since a walk of thousands of files is twice as fast so and nothing else waits for it.
 */
export function discoverTranscripts(claudeHome: string): Discovery {
  const walk = new Walk(claudeHome);
  const exists = walk.start();
  return { exists, files: walk.files, skipped: walk.skipped };
}

class Walk {
  readonly files: FoundFile[] = [];
  readonly skipped: { path: string; reason: string }[] = [];
  readonly #root: string;
  #realRoot = '';

  constructor(root: string) {
    this.#root = root;
  }

  start(): boolean {
    try {
      this.#realRoot = realpathSync(join(this.#root, PROJECTS));
    } catch {
      return false;
    }
    for (const entry of this.#list(PROJECTS)) {
      const path = `${PROJECTS}/${entry.name}`;
      if (this.#isFolder(path, entry)) this.#project(path);
    }
    return true;
  }

  #project(project: string): void {
    for (const entry of this.#list(project)) {
      const path = `${project}/${entry.name}`;
      if (this.#isFolder(path, entry)) this.#agents(`${path}/subagents`, entry.name, MAX_DEPTH_BELOW_SESSION);
      else if (entry.name.endsWith('.jsonl') || AGENT_FILE.test(entry.name)) this.#file(path, entry.name, null);
    }
  }

  #agents(folder: string, sessionId: string, depthLeft: number): void {
    for (const entry of this.#list(folder)) {
      const path = `${folder}/${entry.name}`;
      if (this.#isFolder(path, entry)) {
        if (depthLeft > 0) this.#agents(path, sessionId, depthLeft - 1);
      } else if (AGENT_FILE.test(entry.name)) this.#file(path, entry.name, sessionId);
    }
  }

  #file(path: string, name: string, folderSession: string | null): void {
    const absolutePath = join(this.#root, path);
    const stat = lstatSync(absolutePath, { throwIfNoEntry: false });
    if (!stat) return;
    if (!stat.isFile()) {
      this.skipped.push({ path, reason: stat.isSymbolicLink() ? 'a symbolic link' : 'not a regular file' });
      return;
    }
    const agent = AGENT_FILE.exec(name);
    const stem = name.slice(0, -'.jsonl'.length);
    this.files.push({
      path,
      absolutePath,
      kind: agent ? (agent[2] === '.jsonl' ? 'agent' : 'agent_meta') : 'main',
      sessionId: folderSession ?? (!agent && UUID.test(stem) ? stem : null),
      agentId: agent?.[1] ?? null,
      sizeBytes: stat.size,
      mtimeMs: Math.trunc(stat.mtimeMs),
      inode: `${stat.dev}:${stat.ino}`,
    });
  }

  /** A linked folder counts only while it stays inside the root: a link must not lead us to foreign files. */
  #isFolder(path: string, entry: Dirent): boolean {
    if (entry.isDirectory()) return true;
    if (!entry.isSymbolicLink()) return false;
    const absolutePath = join(this.#root, path);
    try {
      if (!statSync(absolutePath).isDirectory()) return false;
      if (realpathSync(absolutePath).startsWith(this.#realRoot + sep)) return true;
    } catch {
      return false;
    }
    this.skipped.push({ path, reason: 'a link that leads out of the projects folder' });
    return false;
  }

  #list(folder: string): Dirent[] {
    try {
      return readdirSync(join(this.#root, folder), { withFileTypes: true });
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'ENOENT' && code !== 'ENOTDIR') this.skipped.push({ path: folder, reason: code ?? String(error) });
      return [];
    }
  }
}
