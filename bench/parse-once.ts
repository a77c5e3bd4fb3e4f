import { once } from 'node:events';
import process from 'node:process';
import { Worker } from 'node:worker_threads';
import { type ParseCounts, type ParseJob, type ParseWay, parseShare, sessionsBelow } from './parse-job.ts';

/**
 * One parse in a separate process: parse-once ours|drift|baseline PROJECTS THREADS; prints its time and memory. Threads
 * process whole sessions; the clock starts when all threads are running.
 */
const [, , way = 'ours', root = '', threads = '1'] = process.argv;
const workerUrl = new URL(import.meta.url.replace('parse-once', 'parse-worker'));
const workers = await Promise.all(Array.from({ length: Number(threads) - 1 }, startWorker));
const start = performance.now();
const counter = new Int32Array(new SharedArrayBuffer(4));
const job: ParseJob = { way: way as ParseWay, root, sessions: sessionsBelow(root), counter };
const others = workers.map((worker) => askWorker(worker, job));
const shares = await Promise.all([parseShare(job), ...others]);
const ms = performance.now() - start;
const bytes = shares.reduce((sum, share) => sum + share.bytes, 0);
const items = shares.reduce((sum, share) => sum + share.items, 0);
const maxRssBytes = process.resourceUsage().maxRSS * 1024;
console.log(JSON.stringify({ ms, bytes, items, maxRssBytes }));

async function startWorker(): Promise<Worker> {
  const worker = new Worker(workerUrl);
  await once(worker, 'message');
  return worker;
}

async function askWorker(worker: Worker, work: ParseJob): Promise<ParseCounts> {
  worker.postMessage(work);
  const [counts] = (await once(worker, 'message')) as [ParseCounts];
  await worker.terminate();
  return counts;
}
