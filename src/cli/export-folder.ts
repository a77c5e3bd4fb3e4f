import { createHash } from 'node:crypto';
import { createReadStream, existsSync, readFileSync } from 'node:fs';
import { appendFile, open, rename, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { IndexedSession } from '../app/export-index.ts';
import { FuelError } from '../domain/errors.ts';
import type { FolderFormat } from '../domain/requests.ts';
import { makeFolder } from '../lib/private-file.ts';

/** A file that an export made. The last line about a session counts. */
interface MadeFile extends IndexedSession {
  /** Changes when the session or the way it is exported changes. */
  readonly stamp: string;
  /** Null while it is being written. */
  readonly sha256: string | null;
}

type NewFile = Omit<MadeFile, 'sha256' | 'file'>;

/** A folder of exports of one format. It remembers which files it made, so that a run continues where another stopped. */
export interface ExportFolder {
  readonly path: string;
  /** The file of this session if it is up to date. */
  findCurrent(sessionId: string, stamp: string): IndexedSession | null;
  /** Writes or replaces the file of a session. Errors: conflict for a file that is not ours, or was changed since. */
  write(made: NewFile, wantedName: string, texts: AsyncIterable<string>): Promise<IndexedSession>;
  /** Everything in the folder. */
  list(): readonly IndexedSession[];
  /** Writes the index, and shortens the list of files. Errors: conflict. */
  finish(text: string): Promise<string>;
}

const INDEX = 'index';
const PRIVATE_MODE = 0o600;

/** Errors: file_unavailable; conflict for a list of files that cannot be read. */
export async function openExportFolder(
  given: string,
  format: FolderFormat,
  { isForced }: { readonly isForced: boolean },
): Promise<ExportFolder> {
  const path = resolve(given);
  makeFolder(path, 0o777);
  const listPath = join(path, `.fuel-code-export-${format}.jsonl`);
  const made = readMade(listPath);
  const note = async (file: MadeFile) => {
    made.set(file.session_id, file);
    await appendFile(listPath, `${JSON.stringify(file)}\n`, { mode: PRIVATE_MODE });
  };
  const put = async (file: MadeFile, texts: AsyncIterable<string>) => {
    await ensureOurs(path, file.file, made.get(file.session_id), isForced);
    // The name is ours before the file exists, so that a crash leaves no file that the next run would refuse to replace.
    await note({ ...file, sha256: null });
    const sha256 = await writeFile(join(path, file.file), texts);
    await note({ ...file, sha256 });
  };
  const current = ({ file, sha256 }: MadeFile) => sha256 !== null && existsSync(join(path, file));
  const list = () => [...made.values()].filter((each) => each.session_id !== INDEX && current(each)).map(toIndexed);
  return {
    path,
    findCurrent: (sessionId, stamp) => {
      const known = made.get(sessionId);
      return known?.stamp === stamp && current(known) ? toIndexed(known) : null;
    },
    write: async (file, wantedName, texts) => {
      const named = {
        ...file,
        file: made.get(file.session_id)?.file ?? freeName(wantedName, file.session_id, made),
        sha256: null,
      };
      await put(named, texts);
      return toIndexed(named);
    },
    list,
    finish: async (text) => {
      const name = `${INDEX}.${format}`;
      const facts = { title: '', started_at: '', workspace: '', duration_ms: null, cost_usd: null };
      await put({ session_id: INDEX, file: name, stamp: '', sha256: null, ...facts }, once(text));
      await writeFile(listPath, once([...made.values()].map((file) => `${JSON.stringify(file)}\n`).join('')));
      return join(path, name);
    },
  };
}

async function* once(text: string): AsyncGenerator<string> {
  yield text;
}

function toIndexed({ stamp: _stamp, sha256: _sha256, ...session }: MadeFile): IndexedSession {
  return session;
}

/** A line truncated by a crash is ignored: its file is written again. */
function readMade(listPath: string): Map<string, MadeFile> {
  const made = new Map<string, MadeFile>();
  if (!existsSync(listPath)) return made;
  for (const line of readFileSync(listPath, 'utf8').split('\n')) {
    const file = parseLine(line);
    if (file !== null) made.set(file.session_id, file);
  }
  return made;
}

function parseLine(line: string): MadeFile | null {
  try {
    const file = JSON.parse(line) as Partial<MadeFile>;
    // The name becomes a path.
    return typeof file.session_id === 'string' && /^[a-z0-9][a-z0-9-]*\.[a-z]+$/.test(file.file ?? '')
      ? (file as MadeFile)
      : null;
  } catch {
    return null;
  }
}

/** Two sessions can have the same title and the same beginning of their ids. */
function freeName(wanted: string, sessionId: string, made: ReadonlyMap<string, MadeFile>): string {
  const isTaken = [...made.values()].some(({ file }) => file === wanted) || wanted.startsWith(`${INDEX}.`);
  if (!isTaken) return wanted;
  const id = createHash('sha256').update(sessionId).digest('hex').slice(0, 16);
  return wanted.replace(/\.([a-z]+)$/, `-${id}.$1`);
}

/** Errors: conflict. */
async function ensureOurs(folder: string, name: string, known: MadeFile | undefined, isForced: boolean): Promise<void> {
  const path = join(folder, name);
  if (isForced || !existsSync(path)) return;
  if (known?.file === name && (known.sha256 === null || known.sha256 === (await hashFile(path)))) return;
  const why = known?.file === name ? 'was changed since it was exported' : 'was not made by this export';
  throw new FuelError('conflict', `${path} ${why}, so it is not overwritten.`, {
    hint: 'Move it away, choose another folder, or use --force to overwrite it.',
  });
}

async function hashFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const bytes of createReadStream(path)) hash.update(bytes as Buffer);
  return hash.digest('hex');
}

/** Writes beside the file and replaces it as a whole. Returns its SHA-256. */
async function writeFile(path: string, texts: AsyncIterable<string>): Promise<string> {
  const hash = createHash('sha256');
  const partPath = `${path}.part`;
  const part = await open(partPath, 'w', PRIVATE_MODE);
  try {
    for await (const text of texts) {
      hash.update(text);
      await part.appendFile(text);
    }
    await part.sync();
  } catch (error) {
    await part.close();
    await rm(partPath, { force: true });
    throw error;
  }
  await part.close();
  await rename(partPath, path);
  return hash.digest('hex');
}
