import { type Browser, type BrowserContext, type BrowserServer, chromium, type Page } from 'playwright-core';
import { inject, onTestFinished } from 'vitest';
import type { DataSource } from '../../../src/app/data-source.ts';
import type { ServerDeps } from '../../../src/server/app.ts';
import { readStaticFiles, type StaticFiles } from '../../../src/server/routes/pages.ts';
import { NOW } from '../../support/fixed-clock.ts';
import { inTime, PATIENCE_MS } from '../../support/until.ts';
import { createEmptyCommands } from './empty-commands.ts';
import { withQueries } from './empty-data.ts';
import { startTestServer, type TestServer, TOKEN } from './make-app.ts';
import { createMemoryKeys } from './memory-keys.ts';

let files: StaticFiles | undefined;

/** The page as it ships, built once by test/setup/page.ts. Its files are compressed once for all servers of a process. */
export function builtPage(): StaticFiles {
  return (files ??= readStaticFiles(inject('webRoot')));
}

const CHROMIUM_ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

let started: Promise<BrowserServer> | undefined;

/**
 * A connection to the Chromium of this process, which is started once for all files that the process runs and exits with it.
 * Processes do not share one, because its tabs share a clipboard. Closing the connection closes its tabs.
 */
export async function openBrowser(): Promise<Browser> {
  started ??= chromium.launchServer({
    executablePath: inject('chromiumPath'),
    args: CHROMIUM_ARGS,
    timeout: PATIENCE_MS,
  });
  return chromium.connect((await started).wsEndpoint(), { timeout: PATIENCE_MS });
}

export interface Watched {
  readonly page: Page;
  readonly requests: readonly string[];
  /** Everything that must never appear: errors, policy violations, dialogs. */
  readonly complaints: readonly string[];
}

export interface WatchOptions {
  readonly width?: number;
  readonly height?: number;
  readonly colorScheme?: 'light' | 'dark';
}

/** A new tab that records every request and every browser error. It is closed when its test ends. */
export async function openTab(browser: Browser, options: WatchOptions = {}): Promise<Watched> {
  const { width = 1280, height = 800, colorScheme = 'light' } = options;
  const settings = { viewport: { width, height }, colorScheme, locale: 'en-GB' };
  const context = await inTime(browser.newContext(settings), () => 'a new browser context');
  context.setDefaultTimeout(PATIENCE_MS);
  await context.addInitScript(startClock, NOW.getTime() - Date.now());
  closeAfterTest(context);
  const page = await inTime(context.newPage(), () => 'a new tab');
  limitScripts(page);
  const requests: string[] = [];
  const complaints: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  page.on('pageerror', (error) => complaints.push(`error: ${error.message}`));
  page.on('dialog', (dialog) => {
    complaints.push(`dialog: ${dialog.message()}`);
    dialog.dismiss().catch((error: Error) => complaints.push(`dialog: ${error.message}`));
  });
  page.on('crash', () => complaints.push('crash: the tab has crashed'));
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(`console: ${message.text()}`);
  });
  return { page, requests, complaints };
}

/** Runs in the page: sets the clock to noon of the test day. */
function startClock(offsetMs: number): void {
  const real = Date;
  const now = () => real.now() + offsetMs;
  globalThis.Date = new Proxy(real, {
    construct: (_, parts, target) => Reflect.construct(real, parts.length === 0 ? [now()] : parts, target) as object,
    get: (_, name) => (name === 'now' ? now : (Reflect.get(real, name) as unknown)),
  });
}

/** Playwright has timeouts for everything but scripts. */
function limitScripts(page: Page): void {
  const evaluate = page.evaluate.bind(page) as (script: unknown, argument?: unknown) => Promise<unknown>;
  const limited = (script: unknown, argument?: unknown) =>
    inTime(evaluate(script, argument), () => `this script on ${page.url()}: ${String(script).slice(0, 200)}`);
  page.evaluate = limited as Page['evaluate'];
}

/** Open tabs keep working, because they follow live sessions and poll. */
function closeAfterTest(context: BrowserContext): void {
  try {
    onTestFinished(() => inTime(context.close(), () => 'a tab to close'));
  } catch {
    // Opened once for all tests of a file.
  }
}

export interface PageServer extends TestServer {
  /** The URL as the terminal prints it. */
  readonly address: string;
}

export async function servePage(data: DataSource, overrides: Partial<ServerDeps> = {}): Promise<PageServer> {
  const keys = createMemoryKeys();
  const server = await startTestServer({
    files: builtPage(),
    data: withQueries(data, keys.queries),
    commands: { ...createEmptyCommands(data), ...keys.commands },
    browserKeys: keys.lookup,
    ...overrides,
  });
  return { ...server, address: `${server.url}#token=${TOKEN}` };
}

/** The printed URL with the screen to open. */
export function addressOf(server: PageServer, path = ''): string {
  return path === '' ? server.address : `${server.address}&to=${path}`;
}

/** Waits until the page has drawn its state: the second frame shows the effects of the first. */
export async function drawn(page: Page): Promise<void> {
  await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))');
}

export function isOverflowing(page: Page): Promise<boolean> {
  return page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth');
}
