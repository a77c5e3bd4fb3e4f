import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { ensureChromium } from '../test/setup/chromium.ts';
import { idOf, makeSession, TURN_MESSAGES } from './long-session.ts';
import { heading, inMs, isMain, textTable } from './measure.ts';

const SIZES = [500, 10_000, 100_000] as const;
const ROUNDS = 5;
const LAUNCHER = fileURLToPath(new URL('../bin/fuel-code', import.meta.url));
const MAX_FIRST_VIEW_KB = 250;

/**
 * The page in a real browser: first rows of the list, opening sessions of 500, 10,000 and 100,000 messages, jumps, find,
 * frames while scrolling, and the bytes of the first view. Needs a build.
 */
export async function benchPage(): Promise<void> {
  if (!existsSync(new URL('../dist/main.cjs', import.meta.url))) throw new Error('run `npm run build` first');
  const home = mkdtempSync(join(tmpdir(), 'fuel-code-bench-'));
  const env = { ...process.env, FUEL_CODE_HOME: join(home, 'data'), CLAUDE_CONFIG_DIR: join(home, 'claude') };
  const folder = join(home, 'claude/projects/-home-ada-harbour');
  mkdirSync(folder, { recursive: true });
  for (const messages of SIZES) writeFileSync(join(folder, `${idOf(messages)}.jsonl`), makeSession(messages));
  execFileSync(process.execPath, [LAUNCHER, 'backfill', '--json'], { env, stdio: 'ignore' });
  const server = spawn(process.execPath, [LAUNCHER, 'start', '--no-open', '--port', '0'], { env });
  const browser = await chromium.launch({ executablePath: await ensureChromium(), args: ['--no-sandbox'] });
  try {
    const context = await openContext(browser, await addressOf(server));
    await measureFirstView(context);
    await measureSessions(context);
  } finally {
    await browser.close();
    await stop(server);
    rmSync(home, { recursive: true });
  }
}

async function addressOf(server: ChildProcess): Promise<string> {
  let printed = '';
  for await (const chunk of server.stdout ?? []) {
    printed += String(chunk);
    const address = /http:\/\/\S+/.exec(printed)?.[0];
    if (address !== undefined) return address;
  }
  throw new Error(`the server did not start: ${printed}`);
}

async function stop(server: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => server.once('exit', resolve));
  server.kill('SIGINT');
  await ended;
}

interface Site {
  readonly context: BrowserContext;
  readonly origin: string;
}

/** A browser that has been given access; every measurement is a new tab of it. */
async function openContext(browser: Browser, address: string): Promise<Site> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  const page = await context.newPage();
  await page.goto(address);
  // The key that later tabs use is stored before any session is shown.
  await page.locator('a[href*="/session/"]').first().waitFor();
  await page.close();
  return { context, origin: new URL(address).origin };
}

async function inTab<T>({ context }: Site, work: (page: Page) => Promise<T>): Promise<T> {
  const page = await context.newPage();
  try {
    return await work(page);
  } finally {
    await page.close();
  }
}

async function timeMs(work: () => Promise<unknown>): Promise<number> {
  const startMs = performance.now();
  await work();
  return performance.now() - startMs;
}

/** The median of some rounds, each in a new tab. */
async function medianMs(site: Site, work: (page: Page) => Promise<number>): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) times.push(await inTab(site, work));
  return times.toSorted((a, b) => a - b)[Math.floor(ROUNDS / 2)] as number;
}

const BYTES = `performance.getEntriesByType('resource').concat(performance.getEntriesByType('navigation'))
  .filter(({ name }) => !name.includes('/api/')).reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)`;
const KILOBYTE = 1_000;

/** Against the time that the browser needs for a file of the same server. */
async function measureFirstView(site: Site): Promise<void> {
  heading('page: first rows of the list, as a multiple of opening one file');
  const file = await medianMs(site, (page) => timeMs(() => page.goto(`${site.origin}/favicon.ico`)));
  const showRows = (page: Page) =>
    timeMs(async () => {
      await page.goto(`${site.origin}/`, { waitUntil: 'commit' });
      await page.locator('a[href*="/session/"]').first().waitFor();
    });
  const rows = await medianMs(site, showRows);
  const bytes = await inTab(site, async (page) => {
    await showRows(page);
    return page.evaluate<number>(BYTES);
  });
  console.log(`first rows ${(rows / file).toFixed(1)} × (${inMs(rows)}; one file ${inMs(file)})`);
  const kilobytes = bytes / KILOBYTE;
  console.log(`first view ${kilobytes.toFixed(0)} kB compressed, ${share(kilobytes)} of ${MAX_FIRST_VIEW_KB} kB`);
}

function share(kilobytes: number): string {
  return `${((kilobytes / MAX_FIRST_VIEW_KB) * 100).toFixed(0)}%`;
}

type Measure = (page: Page, messages: number, origin: string) => Promise<number>;

/** Each prepares a tab and returns the time of one action. */
const ACTIONS: Readonly<Record<string, Measure>> = {
  open: (page, messages, origin) => timeMs(() => openSession(page, messages, origin)),
  End: async (page, messages, origin) => {
    await openSession(page, messages, origin);
    return timeMs(async () => {
      await page.keyboard.press('End');
      await shown(page, `number ${lastAnswer(messages)}.`);
    });
  },
  '?at=': (page, messages, origin) => {
    const ordinal = Math.floor(messages / 2 / TURN_MESSAGES) * TURN_MESSAGES;
    return timeMs(async () => {
      await page.goto(`${origin}/session/${idOf(messages)}?at=${ordinal}`, { waitUntil: 'commit' });
      await shown(page, `Question ${ordinal}:`);
    });
  },
  find: async (page, messages, origin) => {
    await openSession(page, messages, origin);
    await page.keyboard.press('f');
    return timeMs(async () => {
      await page.getByRole('searchbox').fill(`number ${lastAnswer(messages)}.`);
      await page.keyboard.press('Enter');
      await shown(page, `number ${lastAnswer(messages)}.`);
    });
  },
};

const lastAnswer = (messages: number) => Math.floor(messages / TURN_MESSAGES) * TURN_MESSAGES - 1;

async function shown(page: Page, text: string): Promise<void> {
  await page.getByRole('feed').getByText(text).first().waitFor();
}

async function openSession(page: Page, messages: number, origin: string): Promise<void> {
  await page.goto(`${origin}/session/${idOf(messages)}`, { waitUntil: 'commit' });
  await shown(page, 'Question 0:');
}

async function measureSessions(site: Site): Promise<void> {
  heading(`page: sessions of ${SIZES.join(', ')} messages, as multiples of the first`);
  const rows: string[][] = [];
  for (const [name, act] of Object.entries(ACTIONS)) {
    const times: number[] = [];
    for (const messages of SIZES) times.push(await medianMs(site, (page) => act(page, messages, site.origin)));
    rows.push([name, ...times.map((ms) => `${(ms / (times[0] ?? ms)).toFixed(1)} ×`), inMs(times[0] ?? Number.NaN)]);
  }
  console.log(textTable([['', ...SIZES.map(String), `${SIZES[0]} took`], ...rows]));
  heading('page: frames over 50 ms while scrolling');
  for (const messages of SIZES) {
    const { frames, slow, longest } = await inTab(site, (page) => scroll(page, messages, site.origin));
    console.log(`${messages} messages: ${slow} of ${frames} frames, longest ${inMs(longest)}`);
  }
}

interface Frames {
  readonly frames: number;
  readonly slow: number;
  readonly longest: number;
}

/** Moves by most of a screen in every frame, so that all rows are new, and counts the frames that came late. */
const SCROLL = `new Promise((resolve) => {
  const feed = document.querySelector('[role=feed]');
  const times = [];
  let last = performance.now();
  const step = () => {
    const now = performance.now();
    times.push(now - last);
    last = now;
    feed.scrollTop += 240;
    if (times.length < 400) requestAnimationFrame(step);
    else resolve({
      frames: times.length,
      slow: times.filter((ms) => ms > 50).length,
      longest: Math.max(...times),
    });
  };
  requestAnimationFrame(step);
})`;

async function scroll(page: Page, messages: number, origin: string): Promise<Frames> {
  await openSession(page, messages, origin);
  await page.evaluate(`document.querySelector('[role=feed]').scrollTop = 2000`);
  await page.waitForTimeout(SETTLE_MS);
  return page.evaluate<Frames>(SCROLL);
}

const SETTLE_MS = 1_500;

if (isMain(import.meta.url)) await benchPage();
