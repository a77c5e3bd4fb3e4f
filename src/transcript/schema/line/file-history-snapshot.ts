import { z } from 'zod';
import { bool, fields, num, opt, str } from '../kit.ts';
import { stateLine } from './state-line.ts';

/** Backup of one file. The name of the backup is null where the file did not exist yet. Never holds contents. */
export const fileBackup = fields({
  backupFileName: opt(str),
  version: opt(num),
  backupTime: opt(str),
  realParentDir: opt(str),
});

export const FileHistorySnapshotLineSchema = stateLine('file-history-snapshot', 'The files backed up before a turn.', {
  messageId: opt(str),
  isSnapshotUpdate: opt(bool),
  snapshot: fields({
    messageId: opt(str),
    timestamp: opt(str),
    /** One old guide shows the content itself in place of the backup. */
    trackedFileBackups: opt(z.record(str, z.union([fileBackup, str]))),
  }),
});
