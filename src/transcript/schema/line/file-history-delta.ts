import { opt, str } from '../kit.ts';
import { fileBackup } from './file-history-snapshot.ts';
import { stateLine } from './state-line.ts';

export const FileHistoryDeltaLineSchema = stateLine('file-history-delta', 'One more file backed up, from 2.1.210.', {
  messageId: opt(str),
  snapshotMessageId: opt(str),
  trackingPath: opt(str),
  backup: opt(fileBackup),
});
