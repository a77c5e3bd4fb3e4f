import process from 'node:process';
import { scanUsage } from '../src/app/cost/usage-scan.ts';
import { scannedFiles } from './transcripts.ts';

/** One scan in a separate process: scan-once PROJECTS THREADS; prints its totals. */
const [, , root = '', threads = '1'] = process.argv;
const workerUrl = new URL(import.meta.url.replace('scan-once', 'usage-scan-thread'));
const start = performance.now();
const { sum, scans } = await scanUsage(scannedFiles(root), { threads: Number(threads), workerUrl });
const ms = performance.now() - start;
const bytes = scans.reduce((total, scan) => total + scan.bytes, 0);
const maxRssBytes = process.resourceUsage().maxRSS * 1024;
console.log(JSON.stringify({ ...sum, ms, bytes, maxRssBytes }));
