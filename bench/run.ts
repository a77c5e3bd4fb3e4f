import process from 'node:process';
import { benchAnswers } from './answers.ts';
import { benchCost } from './cost.ts';
import { benchDashboards } from './dashboards.ts';
import { benchHook } from './hook.ts';
import { benchIdle } from './idle.ts';
import { benchImport } from './import.ts';
import { benchLarge } from './large.ts';
import { benchList } from './list.ts';
import { benchOutline } from './outline.ts';
import { benchPage } from './page.ts';
import { benchParse } from './parse.ts';
import { benchPush } from './push.ts';
import { benchScan } from './scan.ts';
import { benchStartUp } from './start-up.ts';

/** `npm run bench [name …]`, by default all of them: prints ratios against a baseline of the same run; asserts nothing. */
const BENCHES: Readonly<Record<string, () => Promise<void>>> = {
  parse: async () => await benchParse(),
  scan: async () => await benchScan(),
  cost: async () => await benchCost(),
  large: benchLarge,
  import: benchImport,
  answers: benchAnswers,
  list: benchList,
  dashboards: benchDashboards,
  outline: benchOutline,
  page: benchPage,
  'start-up': benchStartUp,
  hook: async () => await benchHook(),
  push: benchPush,
  idle: benchIdle,
};

const wanted = process.argv.slice(2);
const names = wanted.length > 0 ? wanted : Object.keys(BENCHES);
const unknown = names.filter((name) => BENCHES[name] === undefined);
if (unknown.length > 0) {
  console.error(`Unknown benchmark ${unknown.join(', ')}. Valid names: ${Object.keys(BENCHES).join(', ')}.`);
  process.exitCode = 2;
} else {
  console.log(`Node ${process.version}, ${process.platform} ${process.arch}. Read ratios, not absolute figures.`);
  for (const name of names) await BENCHES[name]?.();
}
