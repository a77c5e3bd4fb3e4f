import { createReadStream } from 'node:fs';
import { appendFile, type FileHandle, link, open, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errnoOf } from '../../domain/errors.ts';
import type { ArchiveJournal, EraseDecision } from '../../domain/ports.ts';
import type { JsonObject } from '../../domain/transcript.ts';
import { makePrivateFolder, syncFolder } from '../../lib/private-file.ts';
import { diskUnavailable } from '../blobs/disk.ts';
import { ERASED, journalLine, parseJournalLine } from './lines.ts';

const NEWLINE = 0x0a;

interface DiskJournalOptions {
  readonly path: string;
  /** Called before each write; throws when the folder was replaced by another one. */
  readonly check?: () => void;
}

/** Opens a journal stored as one JSON Lines file. */
export function openDiskJournal({ path, check = () => {} }: DiskJournalOptions): ArchiveJournal {
  const write = (act: () => Promise<void>) => writeTo(path, check, act);
  let isInFolder = false;
  return {
    name: `file ${path}`,
    append: (...records) => write(() => appendLines(path, records.map(journalLine).join(''))),
    flush: () =>
      write(async () => {
        await flush(path);
        // A new file is durable only with its entry in the folder.
        if (!isInFolder) syncFolder(dirname(path));
        isInFolder = true;
      }),
    read: (onDamaged) => readRecords(path, onDamaged),
    isEmpty: async () => (await sizeOf(path)) === 0,
    repair: (missing) => write(() => repair(path, missing)),
    erase: async (decide) => {
      let erased = 0;
      await write(async () => {
        erased = await erase(path, decide);
      });
      return erased;
    },
  };
}

async function writeTo(path: string, check: () => void, act: () => Promise<void>): Promise<void> {
  try {
    check();
    makePrivateFolder(dirname(path));
    await act();
  } catch (error) {
    throw diskUnavailable(error, { act: 'write', path });
  }
}

function flush(path: string): Promise<void> {
  return appendFile(path, '', { mode: 0o600, flush: true });
}

/** A crash or a full disk may have left half a line, which must not corrupt the next record. */
async function appendLines(path: string, lines: string): Promise<void> {
  const file = await open(path, 'a+', 0o600);
  try {
    await file.writeFile((await endsMidLine(file)) ? `\n${lines}` : lines);
  } finally {
    await file.close();
  }
}

async function endsMidLine(file: FileHandle): Promise<boolean> {
  const { size } = await file.stat();
  if (size === 0) return false;
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1);
  return buffer[0] !== NEWLINE;
}

async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return 0;
    throw diskUnavailable(error, { act: 'read', path });
  }
}

/** An incomplete last line was never confirmed as durable; the next scan finds its bytes again. */
async function* readRecords(
  path: string,
  onDamaged: (position: string) => void = () => {},
): AsyncGenerator<JsonObject> {
  let number = 0;
  for await (const { text, isWhole } of readLines(path)) {
    number++;
    const record = parseJournalLine(text);
    if (record === 'damaged') {
      if (isWhole) onDamaged(`line ${number}`);
    } else if (record !== null) yield record;
  }
}

interface Line {
  readonly text: string;
  /** Where it is in the file. Not the length of the text: a damaged line may not be valid UTF-8. */
  readonly at: number;
  readonly bytes: number;
  readonly isWhole: boolean;
}

/** Not the `readline` module: it also splits at Unicode line separators, which JSON allows inside strings. */
async function* readLines(path: string): AsyncGenerator<Line> {
  let held: Buffer[] = [];
  let at = 0;
  const take = (isWhole: boolean): Line => {
    const bytes = Buffer.concat(held);
    held = [];
    const line = { text: bytes.toString(), at, bytes: bytes.length, isWhole };
    at += bytes.length + (isWhole ? 1 : 0);
    return line;
  };
  try {
    for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
      let from = 0;
      for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
        held.push(chunk.subarray(from, end));
        yield take(true);
        from = end + 1;
      }
      if (from < chunk.length) held.push(chunk.subarray(from));
    }
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return;
    throw diskUnavailable(error, { act: 'read', path });
  }
  if (held.length > 0) yield take(false);
}

/** Appends missing records. If a line is damaged, the file is first replaced by one without it, and the old file is kept. */
async function repair(path: string, missing: readonly JsonObject[]): Promise<void> {
  const kept: string[] = [];
  let isDamaged = false;
  let end = 0;
  for await (const { text, at, bytes, isWhole } of readLines(path)) {
    const record = parseJournalLine(text);
    isDamaged ||= record === 'damaged' || !isWhole;
    if (record !== 'damaged' && record !== null) kept.push(`${text}\n`);
    if (isWhole) end = at + bytes + 1;
  }
  if (isDamaged) await replace(path, kept.join(''), end);
  await appendLines(path, missing.map(journalLine).join(''));
  await flush(path);
}

/**
 * Overwrites lines in place: the file is never replaced, so other processes can go on appending. A line that is
 * shortened is appended first; a crash in between leaves both, and replays ignore the repetition.
 */
async function erase(path: string, decide: EraseDecision): Promise<number> {
  const toGo: Pick<Line, 'at' | 'bytes'>[] = [];
  const shorter: JsonObject[] = [];
  for await (const { text, at, bytes } of readLines(path)) {
    const decision = text.trim() === '' ? 'keep' : decisionOn(text, decide);
    if (typeof decision === 'object') shorter.push(decision);
    if (decision !== 'keep') toGo.push({ at, bytes });
  }
  if (shorter.length > 0) {
    await appendLines(path, shorter.map(journalLine).join(''));
    await flush(path);
  }
  if (toGo.length > 0) await blank(path, toGo);
  return toGo.length;
}

function decisionOn(text: string, decide: EraseDecision): ReturnType<EraseDecision> {
  // The rest of a line whose erasure was interrupted.
  if (text.startsWith(ERASED)) return 'erase';
  const record = parseJournalLine(text);
  return decide({ record: record === 'damaged' ? null : record, text });
}

async function blank(path: string, places: readonly Pick<Line, 'at' | 'bytes'>[]): Promise<void> {
  const file = await open(path, 'r+', 0o600);
  try {
    for (const { at, bytes } of places) await file.write(Buffer.alloc(bytes, ERASED), 0, bytes, at);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** `end` is the end of the last whole line that the new text takes into account. */
async function replace(path: string, text: string, end: number): Promise<void> {
  const aside = `${path}.damaged-${new Date().toISOString().replaceAll(/[:.]/g, '-')}`;
  const temporary = `${path}.${crypto.randomUUID()}.tmp`;
  const file = await open(temporary, 'wx', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  try {
    await link(path, aside);
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  syncFolder(dirname(path));
  // Records that another process appended since then went into the old file.
  const later = Buffer.concat(await Array.fromAsync(createReadStream(aside, { start: end }) as AsyncIterable<Buffer>));
  if (later.includes(NEWLINE)) await appendFile(path, later);
}
