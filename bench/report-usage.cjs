'use strict';
// Preloaded into a program that is measured; writes what it used to the file BENCH_USAGE when it exits.
const { writeFileSync } = require('node:fs');
const { isMainThread } = require('node:worker_threads');

if (isMainThread) {
  process.on('exit', () => {
    const { user, system } = process.cpuUsage();
    const usage = {
      wallSeconds: process.uptime(),
      cpuSeconds: (user + system) / 1e6,
      residentMegabytes: process.resourceUsage().maxRSS / 1_000,
    };
    writeFileSync(process.env.BENCH_USAGE, JSON.stringify(usage));
  });
}
