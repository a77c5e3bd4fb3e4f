import { argv } from 'node:process';
import { main } from '../../src/main.ts';

// The program from its sources, as a process of its own.
process.exitCode = await main(argv.slice(2));
