import { parentPort } from 'node:worker_threads';
import { type ScanShare, scanShare } from './usage-scan.ts';

/** One thread of a scan. */
parentPort?.once('message', (share: ScanShare) => {
  const scan = scanShare(share);
  parentPort?.postMessage(scan, [scan.columns.numbers.buffer, scan.columns.texts.buffer]);
});
