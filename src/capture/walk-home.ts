import { type Dirent, lstatSync, readdirSync, realpathSync, type Stats, statSync } from 'node:fs';
import { sep } from 'node:path';

/** A file or folder that cannot be read, with the reason. */
export interface SkippedFile {
  readonly root: string;
  readonly path: string;
  readonly reason: string;
}

/** Decides by folder name alone whether a project is excluded, before anything in it is opened. */
export type IgnoreProject = (folderName: string) => boolean;

export interface WalkRules {
  readonly ignoresProject: IgnoreProject;
  /** With `transcripts`, only folders that can hold some are entered. */
  readonly scope: 'all' | 'transcripts';
}

/** The path to open; bytes when the name is not valid UTF-8. */
export type RawPath = string | Buffer;

/** Called for everything that is not a folder. Returns false to end the walk. */
type VisitFile = (path: string, at: RawPath, ignoredProject: string | null) => boolean;

const PROJECTS = 'projects';
export const TOP_FOLDERS = [PROJECTS, 'plans', 'tasks', 'todos', 'debug', 'file-history', 'teams'] as const;
const MAX_DEPTH = 10;
/** A project folder, a session folder inside it, and the folders of its sub-agents. */
const TRANSCRIPT_FOLDER = /^projects\/[^/]+(?:\/[^/]+(?:\/subagents(?:\/.+)?)?)?$/;

interface Folder {
  readonly path: string;
  readonly at: RawPath;
  /** The real path, with links resolved. */
  readonly real: string;
  readonly depthLeft: number;
  readonly ignoredProject: string | null;
}

type EntryKind = Pick<Dirent, 'isDirectory' | 'isSymbolicLink'>;

/**
 * Walks the folders of a Claude home that hold session files. Synchronous on purpose: walking thousands of files is
 * twice as fast that way, and nothing else runs meanwhile.
 */
export class HomeWalk {
  readonly root: string;
  readonly skipped: SkippedFile[] = [];
  /** Paths of the folders that were listed. */
  readonly folders: string[] = [];
  /** False if a link was followed or a name is not valid UTF-8. */
  isPlain = true;
  readonly #rules: WalkRules;
  readonly #visit: VisitFile;
  /** Real paths of the home and of its top-level folders, which may be links. */
  readonly #realRoots: string[] = [];
  readonly #visited = new Set<string>();
  readonly #linked: Folder[] = [];
  #isStopped = false;

  constructor(root: string, rules: WalkRules, visit: VisitFile) {
    this.root = root;
    this.#rules = rules;
    this.#visit = visit;
  }

  /** Returns false without a projects folder. */
  run(): boolean {
    const isAll = this.#rules.scope === 'all';
    const folders = (isAll ? TOP_FOLDERS : [PROJECTS]).flatMap((name) => this.#top(name));
    if (folders[0]?.path !== PROJECTS) return false;
    this.#realRoots.push(realpathSync(this.root), ...folders.map(({ real }) => real));
    for (const folder of folders) this.#folder(folder);
    // Follow links last and breadth first, so that a file reachable without a link keeps its own path and loops end
    // early.
    if (this.#linked.length > 0) this.isPlain = false;
    for (let link = this.#linked.shift(); link !== undefined; link = this.#linked.shift()) this.#folder(link);
    if (isAll && !this.#isStopped) this.#visit('history.jsonl', this.#at('history.jsonl'), null);
    return true;
  }

  /** The state of a regular file; null otherwise, with an entry in `skipped` unless it is missing. */
  stat(path: string, at: RawPath): Stats | null {
    const stat = lstatSync(at, NO_THROW);
    if (stat === undefined) return null;
    if (stat.isFile()) return stat;
    this.#skip(path, stat.isSymbolicLink() ? 'a symbolic link' : 'not a regular file');
    return null;
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
    if (this.#isStopped || this.#visited.has(folder.real)) return;
    this.#visited.add(folder.real);
    this.folders.push(folder.path);
    const entries = this.#list(folder);
    if (entries.some(({ name }) => name.includes(REPLACEMENT))) return this.#rawFolder(folder);
    for (const entry of entries) this.#entry(folder, entry.name, entry.name, entry);
  }

  /** Lists names as bytes because some are not valid UTF-8. */
  #rawFolder(folder: Folder): void {
    this.isPlain = false;
    const seen = new Set<string>();
    for (const entry of readdirSync(folder.at, { withFileTypes: true, encoding: 'buffer' })) {
      const name = printableName(entry.name);
      if (seen.size === seen.add(name).size)
        this.#skip(`${folder.path}/${name}`, 'its name looks the same as that of another file');
      else this.#entry(folder, name, entry.name, entry);
    }
  }

  #entry(folder: Folder, name: string, raw: RawPath, kind: EntryKind): void {
    if (this.#isStopped) return;
    const path = `${folder.path}/${name}`;
    const at = joinRaw(folder.at, raw);
    const isIgnored = folder.path === PROJECTS && this.#rules.ignoresProject(name);
    const ignoredProject = isIgnored ? name : folder.ignoredProject;
    const isFolder = kind.isDirectory();
    if (isFolder || kind.isSymbolicLink()) {
      const child = { path, at, real: folder.real + sep + name, depthLeft: folder.depthLeft - 1, ignoredProject };
      if (isFolder) return this.#enter(child);
      if (this.#followLink(child)) return;
    }
    this.#isStopped = !this.#visit(path, at, ignoredProject);
  }

  #enter(folder: Folder): void {
    if (this.#rules.scope === 'transcripts' && !TRANSCRIPT_FOLDER.test(folder.path)) return;
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
    else if (this.#rules.scope === 'all' || TRANSCRIPT_FOLDER.test(link.path)) this.#linked.push({ ...link, real });
    return true;
  }

  #list({ path, at }: Folder): Dirent[] {
    try {
      return readdirSync(at, WITH_TYPES);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'ENOENT' && code !== 'ENOTDIR') this.#skip(path, code ?? String(error));
      return [];
    }
  }

  #skip(path: string, reason: string): void {
    this.skipped.push({ root: this.root, path, reason });
  }
}

const NO_THROW = { throwIfNoEntry: false } as const;
const WITH_TYPES = { withFileTypes: true } as const;

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
