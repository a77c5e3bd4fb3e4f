import { parentPort } from 'node:worker_threads';
import { type ParseJob, parseShare } from './parse-job.ts';

/** One thread of a parse: reports that it is ready, runs one job and returns its counts. */
parentPort?.once('message', (job: ParseJob) => {
  void parseShare(job).then((counts) => parentPort?.postMessage(counts));
});
parentPort?.postMessage('ready');
