import {
  appendFileSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { byHomeAndPath, confirmUnchanged, discoverFiles } from './discover.ts';
import { type FolderRecords, openFolderRecords } from './folder-record.ts';

const ID = '11111111-2222-4333-8444-555555555555';
const PROJECT = 'projects/-w';
const TRANSCRIPT = `${PROJECT}/${ID}.jsonl`;
const FOLDERS = ['projects', PROJECT, `${PROJECT}/${ID}`, `${PROJECT}/${ID}/subagents`];
const OPTIONS = { version: '1', isReadOnly: false };
const NONE = () => false;
/** Long after the folders were created. */
const LATER_MS = Date.now() + 60_000;

let home = '';
let root = '';
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'fuel-code-folders-'));
  root = join(home, 'claude');
  mkdirSync(join(root, `${PROJECT}/${ID}/subagents`), { recursive: true });
  writeFileSync(join(root, TRANSCRIPT), '{}\n');
  writeFileSync(join(root, `${PROJECT}/${ID}/subagents/agent-a1.jsonl`), '{}\n');
  passTick();
});
afterEach(() => rmSync(home, { recursive: true }));

/** Waits until the file system assigns a different time to the next change. */
function passTick(): void {
  const probe = join(home, 'probe');
  const timeOf = () => (writeFileSync(probe, ''), Math.trunc(lstatSync(probe).ctimeMs));
  for (const first = timeOf(); timeOf() <= first; ) rmSync(probe);
}

function remembered(options = OPTIONS): FolderRecords {
  const records = openFolderRecords(home, options);
  records.remember(root, { folders: FOLDERS, startedMs: LATER_MS, counts: { all: 2, transcripts: 2 } });
  return records;
}

const look = (records: FolderRecords, known = byHomeAndPath(discoverFiles([root]).files)) =>
  confirmUnchanged([root], known, { ignoresProject: NONE, scope: 'all', records });

describe('known folders', () => {
  it('are unchanged until something changes in them', () => {
    expect(remembered().findSame(root, NONE)?.counts).toEqual({ all: 2, transcripts: 2 });
    appendFileSync(join(root, TRANSCRIPT), '{}\n');
    expect(remembered().findSame(root, NONE)).not.toBeNull();
  });

  it.each<[string, () => void]>([
    ['a new transcript', () => writeFileSync(join(root, `${PROJECT}/agent-b.jsonl`), '{}\n')],
    ['a new file of a sub-agent', () => writeFileSync(join(root, `${PROJECT}/${ID}/subagents/agent-b.jsonl`), '')],
    ['a new project', () => mkdirSync(join(root, 'projects/-x'))],
    ['a removed transcript', () => rmSync(join(root, TRANSCRIPT))],
    ['a renamed transcript', () => renameSync(join(root, TRANSCRIPT), join(root, `${PROJECT}/agent-b.jsonl`))],
    ['another folder with files of sessions', () => mkdirSync(join(root, 'tasks'))],
    [
      'a restored file, with the time of the folder set back',
      () => {
        const { atime, mtime } = lstatSync(join(root, PROJECT));
        writeFileSync(join(root, `${PROJECT}/agent-b.jsonl`), '{}\n');
        utimesSync(join(root, PROJECT), atime, mtime);
      },
    ],
    [
      'a folder in place of another',
      () => {
        renameSync(join(root, 'projects'), join(home, 'aside'));
        mkdirSync(join(root, `${PROJECT}/${ID}/subagents`), { recursive: true });
      },
    ],
  ])('are changed after %s', (_, change) => {
    const records = remembered();
    change();
    expect(records.findSame(root, NONE)).toBeNull();
  });

  it('are changed for another version, or if a project is ignored now', () => {
    remembered();
    expect(openFolderRecords(home, { ...OPTIONS, version: '2' }).findSame(root, NONE)).toBeNull();
    expect(openFolderRecords(home, OPTIONS).findSame(root, (name) => name === '-w')).toBeNull();
  });

  it('are not remembered if one has just changed or is a link, nor in a read-only data folder', () => {
    const counts = { all: 2, transcripts: 2 };
    const records = openFolderRecords(home, OPTIONS);
    records.remember(root, { folders: FOLDERS, startedMs: Date.now(), counts });
    expect(records.findSame(root, NONE)).toBeNull();
    symlinkSync('-w', join(root, 'projects/-link'));
    records.remember(root, { folders: [...FOLDERS, 'projects/-link'], startedMs: LATER_MS, counts });
    expect(records.findSame(root, NONE)).toBeNull();
    rmSync(join(root, 'projects/-link'));
    expect(remembered({ ...OPTIONS, isReadOnly: true }).findSame(root, NONE)).toBeNull();
  });

  it('are walked if the record is damaged', () => {
    remembered();
    writeFileSync(join(home, 'folders.json'), '{"');
    expect(openFolderRecords(home, OPTIONS).findSame(root, NONE)).toBeNull();
  });
});

describe('files in unchanged folders', () => {
  it('are confirmed without a walk', () => {
    expect(look(remembered())).toEqual({ roots: [root], skipped: [], files: 2 });
  });

  it.each<[string, () => void]>([
    ['an append', () => appendFileSync(join(root, TRANSCRIPT), '{}\n')],
    ['a rewrite of the same size', () => utimesSync(join(root, TRANSCRIPT), 1, 1)],
    ['a new history', () => writeFileSync(join(root, 'history.jsonl'), '{}\n')],
  ])('are not confirmed after %s', (_, change) => {
    const records = remembered();
    const known = byHomeAndPath(discoverFiles([root]).files);
    change();
    expect(look(records, known)).toBeNull();
  });

  it('are not confirmed if one of them is unknown, as after a deletion that was undone', () => {
    const records = remembered();
    const known = byHomeAndPath(discoverFiles([root]).files.slice(1));
    expect(look(records, known)).toBeNull();
  });

  it('are remembered only if none of them can grow unnoticed', () => {
    const calls: string[] = [];
    const records: FolderRecords = { findSame: () => null, remember: (at) => void calls.push(at) };
    expect(look(records)).not.toBeNull();
    expect(calls).toEqual([root]);
    const known = byHomeAndPath(discoverFiles([root]).files);
    writeFileSync(join(root, `${PROJECT}/agent-empty.jsonl`), '');
    expect(look(records, known)).toMatchObject({ files: 3 });
    expect(calls).toEqual([root]);
  });
});
