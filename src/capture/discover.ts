import { type Dirent, lstatSync, readdirSync, realpathSync, type Stats, statSync } from 'node:fs';
import { join, sep } from 'node:path';
import { classifyPath, type PathFacts } from './file-kinds.ts';

/** A file of a Claude home that belongs to a session, or tells about several. */
export interface FoundFile extends PathFacts {
  /** Relative to the Claude home, with forward slashes. */
  readonly path: string;
  readonly absolutePath: string;
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
  /** How many files the person's own rules keep out. */
  readonly ignored: number;
}

/** A rule that keeps a project out, asked with the name of its folder before anything in it is opened. */
export type IgnoreProject = (folderName: string) => boolean;

const PROJECTS = 'projects';
const FOLDERS = [PROJECTS, 'plans', 'tasks', 'todos', 'file-history', 'teams'] as const;
const MAX_DEPTH = 10;
/** A project, a session in it, and whatever its sub-agents have. */
const TRANSCRIPT_FOLDER = /^projects\/[^/]+(?:\/[^/]+(?:\/subagents(?:\/.+)?)?)?$/;

/**
 * Lists what a Claude home holds of sessions, without reading any of it. Synchronous, since a walk of thousands of
 * files is twice as fast so and nothing else waits for it.
 */
export function discoverFiles(claudeHome: string, ignoresProject: IgnoreProject = () => false): Discovery {
  return discover(new Walk(claudeHome, ignoresProject, 'all'));
}

/** The same for transcripts alone: nothing else is listed or looked at. */
export function discoverTranscripts(claudeHome: string, ignoresProject: IgnoreProject): Discovery {
  return discover(new Walk(claudeHome, ignoresProject, 'transcripts'));
}

function discover(walk: Walk): Discovery {
  const exists = walk.start();
  return { exists, files: walk.files(), skipped: walk.skipped, ignored: walk.ignored };
}

class Walk {
  readonly skipped: { path: string; reason: string }[] = [];
  ignored = 0;
  readonly #found: FoundFile[] = [];
  readonly #ignoredSessions = new Set<string>();
  readonly #root: string;
  readonly #ignoresProject: IgnoreProject;
  readonly #scope: 'all' | 'transcripts';
  #realRoot = '';

  constructor(root: string, ignoresProject: IgnoreProject, scope: 'all' | 'transcripts') {
    this.#root = root;
    this.#ignoresProject = ignoresProject;
    this.#scope = scope;
  }

  start(): boolean {
    try {
      this.#realRoot = realpathSync(this.#root);
      statSync(join(this.#root, PROJECTS));
    } catch {
      return false;
    }
    if (this.#scope === 'transcripts') this.#folder(PROJECTS, MAX_DEPTH, null);
    else {
      for (const folder of FOLDERS) this.#folder(folder, MAX_DEPTH, null);
      this.#file('history.jsonl', null);
    }
    return true;
  }

  /** J14: what stands outside the project's folder is kept out by the session's id; the history holds all projects. */
  files(): readonly FoundFile[] {
    if (this.ignored === 0) return this.#found;
    return this.#found.filter(({ kind, sessionId }) => {
      const isKept = kind !== 'history' && (sessionId === null || !this.#ignoredSessions.has(sessionId));
      if (!isKept) this.ignored++;
      return isKept;
    });
  }

  /** Plain concatenation: normalising thousands of paths takes longer than listing them. */
  #at(path: string): string {
    return this.#root + sep + path;
  }

  #folder(folder: string, depthLeft: number, ignoredProject: string | null): void {
    for (const entry of this.#list(folder)) {
      const path = `${folder}/${entry.name}`;
      const ignored = ignoredProject ?? (folder === PROJECTS && this.#ignoresProject(entry.name) ? entry.name : null);
      if (this.#isFolder(path, entry)) {
        const isWanted = this.#scope === 'all' || TRANSCRIPT_FOLDER.test(path);
        if (depthLeft > 0 && isWanted) this.#folder(path, depthLeft - 1, ignored);
      } else this.#file(path, ignored);
    }
  }

  #file(path: string, ignoredProject: string | null): void {
    if (this.#scope === 'transcripts' && !path.endsWith('.jsonl')) return;
    const facts = classifyPath(path);
    if (facts === null || (this.#scope === 'transcripts' && !isTranscript(facts))) return;
    if (ignoredProject !== null) {
      this.ignored++;
      if (facts.sessionId !== null) this.#ignoredSessions.add(facts.sessionId);
      return;
    }
    const absolutePath = this.#at(path);
    const stat = lstatSync(absolutePath, { throwIfNoEntry: false });
    if (stat?.isFile()) this.#found.push(foundFile(path, absolutePath, facts, stat));
    else if (stat)
      this.skipped.push({ path, reason: stat.isSymbolicLink() ? 'a symbolic link' : 'not a regular file' });
  }

  /** A linked folder counts only while it stays inside the home: a link must not lead us to foreign files. */
  #isFolder(path: string, entry: Dirent): boolean {
    if (entry.isDirectory()) return true;
    if (!entry.isSymbolicLink()) return false;
    const absolutePath = this.#at(path);
    try {
      if (!statSync(absolutePath).isDirectory()) return false;
      if (realpathSync(absolutePath).startsWith(this.#realRoot + sep)) return true;
    } catch {
      return false;
    }
    this.skipped.push({ path, reason: 'a link that leads out of the Claude home' });
    return false;
  }

  #list(folder: string): Dirent[] {
    try {
      return readdirSync(this.#at(folder), { withFileTypes: true });
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'ENOENT' && code !== 'ENOTDIR') this.skipped.push({ path: folder, reason: code ?? String(error) });
      return [];
    }
  }
}

function isTranscript({ kind }: PathFacts): boolean {
  return kind === 'main' || kind === 'agent';
}

function foundFile(
  path: string,
  absolutePath: string,
  { kind, sessionId, agentId }: PathFacts,
  stat: Stats,
): FoundFile {
  const look = { sizeBytes: stat.size, mtimeMs: Math.trunc(stat.mtimeMs), inode: `${stat.dev}:${stat.ino}` };
  return { path, absolutePath, kind, sessionId, agentId, ...look };
}
