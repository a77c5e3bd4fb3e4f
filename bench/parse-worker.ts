import { parentPort } from 'node:worker_threads';
import { type ParseJob, parseShare } from './parse-job.ts';

/** One thread of a parse: says that it is there, does one job, gives what it counted. */
parentPort?.once('message', (job: ParseJob) => {
  void parseShare(job).then((counts) => parentPort?.postMessage(counts));
});
parentPort?.postMessage('ready');
