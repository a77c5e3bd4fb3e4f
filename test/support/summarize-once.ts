import process from 'node:process';
import { openApp } from '../../src/app/open-app.ts';
import { openAiSummaries } from '../../src/app/outbound.ts';
import { loadConfig } from '../../src/config.ts';
import { summarizeSessions } from '../../src/pipeline/summarize-session.ts';
import { priceUsage } from '../../src/transcript/price/price-usage.ts';
import { fixedClock, silentLog } from './fixed-clock.ts';

/** A separate process that summarizes one session, to be killed halfway. */
const { config } = loadConfig(process.env);
await using app = await openApp({ config, clock: fixedClock, log: silentLog });
const deps = { engine: app.store.engine, clock: fixedClock, log: silentLog, ai: openAiSummaries(config, priceUsage) };
await summarizeSessions(deps, [process.argv[2] ?? '']);
