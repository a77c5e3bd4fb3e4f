import { argv } from 'node:process';
import { appendLogLine, createLog } from '../../src/lib/log.ts';
import { systemClock } from '../../src/lib/timing.ts';

// Writes numbered lines to a log as fast as possible.
const [folder = '', by = '', count = ''] = argv.slice(2);
const log = createLog({
  level: 'debug',
  clock: systemClock,
  write: (line) => appendLogLine(folder, line),
  speaker: { by },
});
for (let number = 0; number < Number(count); number++) log.warn('flood', { number, filling: 'é'.repeat(900) });
