import { type Dirent, lstatSync, readdirSync, realpathSync, type Stats, statSync } from 'node:fs';
import { sep } from 'node:path';
import { classifyPath, type PathFacts } from './file-kinds.ts';

/** A file in a Claude home that belongs to one session or holds data about several. */
export interface FoundFile extends PathFacts {
  /** The Claude home that contains the file. */
  readonly root: string;
  /** Relative to the Claude home, with forward slashes. Bytes that are not valid UTF-8 appear as `\xNN`. */
  readonly path: string;
  /** The path to open; bytes when the name is not valid UTF-8. */
  readonly absolutePath: string | Buffer;
  readonly sizeBytes: number;
  readonly mtimeMs: number;
  readonly inode: string;
}

/** A file or folder that cannot be read, with the reason. */
export interface SkippedFile {
  readonly root: string;
  readonly path: string;
  readonly reason: string;
}

export interface Discovery {
  /** The homes that currently have a projects folder. */
  readonly roots: readonly string[];
  readonly files: readonly FoundFile[];
  readonly skipped: readonly SkippedFile[];
  /** Number of files excluded by the user's ignore rules. */
  readonly ignored: number;
}

/** Decides by folder name alone whether a project is excluded, before anything in it is opened. */
export type IgnoreProject = (folderName: string) => boolean;

const PROJECTS = 'projects';
const FOLDERS = [PROJECTS, 'plans', 'tasks', 'todos', 'debug', 'file-history', 'teams'] as const;
const MAX_DEPTH = 10;
/** A project folder, a session folder inside it, and the folders of its sub-agents. */
const TRANSCRIPT_FOLDER = /^projects\/[^/]+(?:\/[^/]+(?:\/subagents(?:\/.+)?)?)?$/;

type Scope = 'all' | 'transcripts';

/**
 * Lists the session files of Claude homes without reading them. Synchronous on purpose: walking thousands of files is
 * twice as fast that way, and nothing else runs meanwhile.
 */
export function discoverFiles(roots: readonly string[], ignoresProject: IgnoreProject = () => false): Discovery {
  return discover(roots, ignoresProject, 'all');
}

/** Lists only transcripts; skips every other folder and file. */
export function discoverTranscripts(roots: readonly string[], ignoresProject: IgnoreProject): Discovery {
  return discover(roots, ignoresProject, 'transcripts');
}

function discover(roots: readonly string[], ignoresProject: IgnoreProject, scope: Scope): Discovery {
  const walks = roots.map((root) => new Walk(root, ignoresProject, scope)).filter((walk) => walk.start());
  return {
    roots: walks.map(({ root }) => root),
    files: walks.flatMap((walk) => walk.files()),
    skipped: walks.flatMap(({ skipped }) => skipped),
    ignored: walks.reduce((sum, { ignored }) => sum + ignored, 0),
  };
}

type RawPath = string | Buffer;

interface Folder {
  readonly path: string;
  readonly at: RawPath;
  /** The real path, with links resolved. */
  readonly real: string;
  readonly depthLeft: number;
  readonly ignoredProject: string | null;
}

interface Entry {
  readonly name: string;
  readonly raw: RawPath;
  readonly kind: Pick<Dirent, 'isDirectory' | 'isSymbolicLink'>;
}

class Walk {
  readonly root: string;
  readonly skipped: SkippedFile[] = [];
  ignored = 0;
  readonly #found: FoundFile[] = [];
  readonly #ignoredSessions = new Set<string>();
  readonly #ignoresProject: IgnoreProject;
  readonly #scope: Scope;
  /** Real paths of the home and of its top-level folders, which may be links. */
  readonly #realRoots: string[] = [];
  readonly #visited = new Set<string>();
  readonly #linked: Folder[] = [];

  constructor(root: string, ignoresProject: IgnoreProject, scope: Scope) {
    this.root = root;
    this.#ignoresProject = ignoresProject;
    this.#scope = scope;
  }

  start(): boolean {
    const folders = (this.#scope === 'transcripts' ? [PROJECTS] : FOLDERS).flatMap((name) => this.#top(name));
    if (folders[0]?.path !== PROJECTS) return false;
    this.#realRoots.push(realpathSync(this.root), ...folders.map(({ real }) => real));
    for (const folder of folders) this.#folder(folder);
    // Follow links last and breadth first, so that a file reachable without a link keeps its own path and loops end
    // early.
    for (let link = this.#linked.shift(); link !== undefined; link = this.#linked.shift()) this.#folder(link);
    if (this.#scope === 'all') this.#file('history.jsonl', this.#at('history.jsonl'), null);
    return true;
  }

  /** J14: files outside an ignored project's folder are excluded by session id; the history covers all projects. */
  files(): readonly FoundFile[] {
    if (this.ignored === 0) return this.#found;
    return this.#found.filter(({ kind, sessionId }) => {
      const isKept = kind !== 'history' && (sessionId === null || !this.#ignoredSessions.has(sessionId));
      if (!isKept) this.ignored++;
      return isKept;
    });
  }

  /** Plain concatenation: normalizing thousands of paths takes longer than listing them. */
  #at(path: string): string {
    return this.root + sep + path;
  }

  #top(path: string): Folder[] {
    try {
      const at = this.#at(path);
      return [{ path, at, real: realpathSync(at), depthLeft: MAX_DEPTH, ignoredProject: null }];
    } catch {
      return [];
    }
  }

  /** Visits each real folder once, because links may form a loop. */
  #folder(folder: Folder): void {
    if (this.#visited.has(folder.real)) return;
    this.#visited.add(folder.real);
    for (const entry of this.#list(folder)) {
      const child = this.#childOf(folder, entry);
      if (entry.kind.isDirectory()) this.#enter(child);
      else if (!entry.kind.isSymbolicLink() || !this.#followLink(child))
        this.#file(child.path, child.at, child.ignoredProject);
    }
  }

  #childOf(folder: Folder, { name, raw }: Entry): Folder {
    const isIgnored = folder.ignoredProject === null && folder.path === PROJECTS && this.#ignoresProject(name);
    return {
      path: `${folder.path}/${name}`,
      at: joinRaw(folder.at, raw),
      real: folder.real + sep + name,
      depthLeft: folder.depthLeft - 1,
      ignoredProject: isIgnored ? name : folder.ignoredProject,
    };
  }

  #enter(folder: Folder): void {
    if (this.#scope === 'transcripts' && !TRANSCRIPT_FOLDER.test(folder.path)) return;
    if (folder.depthLeft >= 0) this.#folder(folder);
    else this.#skip(folder.path, `nested more than ${MAX_DEPTH} folders deep`);
  }

  /** Returns true for a link to a folder. Only links that stay inside the home are followed. */
  #followLink(link: Folder): boolean {
    let real: string;
    try {
      if (!statSync(link.at).isDirectory()) return false;
      real = realpathSync(link.at);
    } catch {
      return false;
    }
    if (!this.#realRoots.some((root) => real.startsWith(root + sep)))
      this.#skip(link.path, 'a link to a folder outside the Claude home');
    else if (this.#scope === 'all' || TRANSCRIPT_FOLDER.test(link.path)) this.#linked.push({ ...link, real });
    return true;
  }

  #file(path: string, at: RawPath, ignoredProject: string | null): void {
    if (this.#scope === 'transcripts' && !path.endsWith('.jsonl')) return;
    const facts = classifyPath(path);
    if (facts === null || (this.#scope === 'transcripts' && !isTranscript(facts))) return;
    if (ignoredProject !== null) {
      this.ignored++;
      if (facts.sessionId !== null) this.#ignoredSessions.add(facts.sessionId);
      return;
    }
    const stat = lstatSync(at, { throwIfNoEntry: false });
    if (stat?.isFile()) this.#found.push(foundFile({ root: this.root, path, absolutePath: at, ...facts }, stat));
    else if (stat) this.#skip(path, stat.isSymbolicLink() ? 'a symbolic link' : 'not a regular file');
  }

  #list({ path, at }: Folder): Entry[] {
    try {
      const entries = readdirSync(at, { withFileTypes: true });
      const isUtf8 = !entries.some(({ name }) => name.includes(REPLACEMENT));
      return isUtf8 ? entries.map((kind) => ({ name: kind.name, raw: kind.name, kind })) : this.#listRaw(path, at);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'ENOENT' && code !== 'ENOTDIR') this.#skip(path, code ?? String(error));
      return [];
    }
  }

  /** Lists names as bytes because some are not valid UTF-8. */
  #listRaw(path: string, at: RawPath): Entry[] {
    const seen = new Set<string>();
    return readdirSync(at, { withFileTypes: true, encoding: 'buffer' }).flatMap((kind) => {
      const name = printableName(kind.name);
      if (seen.size === seen.add(name).size) {
        this.#skip(`${path}/${name}`, 'its name looks the same as that of another file');
        return [];
      }
      return [{ name, raw: kind.name, kind }];
    });
  }

  #skip(path: string, reason: string): void {
    this.skipped.push({ root: this.root, path, reason });
  }
}

/** The character Node.js substitutes for bytes that are not valid UTF-8. */
const REPLACEMENT = '\uFFFD';
const BACKSLASH = 0x5c;
const ASCII_END = 0x80;

function printableName(raw: Buffer): string {
  const text = raw.toString();
  if (Buffer.from(text).equals(raw)) return text;
  const escape = (byte: number) => {
    if (byte === BACKSLASH) return '\\\\';
    return byte < ASCII_END ? String.fromCharCode(byte) : `\\x${byte.toString(16)}`;
  };
  return Array.from(raw, escape).join('');
}

function joinRaw(folder: RawPath, name: RawPath): RawPath {
  if (typeof folder === 'string' && typeof name === 'string') return folder + sep + name;
  return Buffer.concat([Buffer.from(folder), Buffer.from(sep), Buffer.from(name)]);
}

function isTranscript({ kind }: PathFacts): boolean {
  return kind === 'main' || kind === 'agent';
}

function foundFile(
  file: PathFacts & Pick<FoundFile, 'root' | 'path' | 'absolutePath'>,
  { size, mtimeMs, dev, ino }: Stats,
): FoundFile {
  return { ...file, sizeBytes: size, mtimeMs: Math.trunc(mtimeMs), inode: `${dev}:${ino}` };
}
