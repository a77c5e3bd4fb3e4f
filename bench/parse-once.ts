import process from 'node:process';
import { Worker } from 'node:worker_threads';
import { type ParseCounts, type ParseJob, type ParseWay, parseShare, sessionsBelow } from './parse-job.ts';

/** One parse in a process of its own: parse-once ours|baseline PROJECTS THREADS; prints its time and memory. */
const [, , way = 'ours', root = '', threads = '1'] = process.argv;
const workerUrl = new URL(import.meta.url.replace('parse-once', 'parse-worker'));
const start = performance.now();
const counter = new Int32Array(new SharedArrayBuffer(4));
const job: ParseJob = { way: way as ParseWay, root, sessions: sessionsBelow(root), counter };
const others = Array.from({ length: Number(threads) - 1 }, async () => await inWorker(job));
const shares = await Promise.all([parseShare(job), ...others]);
const ms = performance.now() - start;
const bytes = shares.reduce((sum, share) => sum + share.bytes, 0);
const items = shares.reduce((sum, share) => sum + share.items, 0);
const maxRssBytes = process.resourceUsage().maxRSS * 1024;
console.log(JSON.stringify({ ms, bytes, items, maxRssBytes }));

async function inWorker(workerData: ParseJob): Promise<ParseCounts> {
  const worker = new Worker(workerUrl, { workerData });
  return await new Promise((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
  });
}
