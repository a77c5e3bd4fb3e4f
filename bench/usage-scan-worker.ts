import { parentPort, workerData } from 'node:worker_threads';
import { type ScanWorkerData, scanShare } from './usage-scan-node.ts';

/** One thread of a scan: its share of the files, and back what they say. */
const scan = scanShare(workerData as ScanWorkerData);
parentPort?.postMessage(scan, [scan.columns.numbers.buffer]);
