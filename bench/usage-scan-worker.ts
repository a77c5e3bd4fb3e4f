import { parentPort, workerData } from 'node:worker_threads';
import { packRows } from '../src/transcript/scan/pack-rows.ts';
import { type ScanWorkerData, type ScanWorkerResult, scanShare } from './usage-scan-node.ts';

/** One thread of a scan: its share of the files, and back what they say. */
const { rows, ...scan } = scanShare(workerData as ScanWorkerData);
const result: ScanWorkerResult = { packed: packRows(rows), scan };
parentPort?.postMessage(result, [result.packed.numbers.buffer]);
