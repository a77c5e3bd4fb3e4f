import { argv } from 'node:process';
import { main } from '../../src/main.ts';

// The program from source, as a separate process.
process.exitCode = await main(argv.slice(2));
