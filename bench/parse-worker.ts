import { parentPort, workerData } from 'node:worker_threads';
import { type ParseJob, parseShare } from './parse-job.ts';

/** One thread of a parse. */
parentPort?.postMessage(await parseShare(workerData as ParseJob));
