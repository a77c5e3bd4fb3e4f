import { type Browser, type BrowserContext, type CDPSession, chromium, type Page } from 'playwright-core';
import { inject, onTestFinished } from 'vitest';
import { NOW } from '../../support/fixed-clock.ts';
import { inTime, PATIENCE_MS } from '../../support/until.ts';
import { whenTestEnds } from './when-test-ends.ts';

const CHROMIUM_ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // Tabs of all servers share a process, which compiles the scripts of an address only once.
  '--process-per-site',
];

const SETTINGS = { viewport: { width: 1280, height: 800 }, colorScheme: 'light', locale: 'en-GB' } as const;

let chromiumStarted: Promise<Browser> | undefined;

/**
 * The Chromium of this process, which is started once for all files that the process runs and exits with it. Processes do not
 * share one, because its tabs share a clipboard.
 */
function startChromium(): Promise<Browser> {
  return (chromiumStarted ??= chromium.launch({
    executablePath: inject('chromiumPath'),
    args: CHROMIUM_ARGS,
    timeout: PATIENCE_MS,
  }));
}

/**
 * The browser of a user: its tabs share what the page stores. It is emptied between tests and kept for all files, because
 * loading the page again takes half the time.
 */
interface UserBrowser {
  readonly context: BrowserContext;
  /** Never closed: with its last tab the process would exit, and with it the compiled scripts. */
  readonly firstTab: Page;
  readonly devtools: CDPSession;
  /** Origins that may have stored something. */
  readonly origins: Set<string>;
}

let userBrowser: Promise<UserBrowser> | undefined;

async function openUserBrowser(): Promise<UserBrowser> {
  const context = await newContext();
  const origins = new Set<string>();
  const firstTab = await context.newPage();
  firstTab.on('crash', () => (userBrowser = undefined));
  await firstTab.route('**', (route) => route.fulfill({ contentType: 'text/html', body: '' }));
  await firstTab.goto('http://127.0.0.1/');
  context.on('request', (request) => {
    if (request.isNavigationRequest()) origins.add(new URL(request.url()).origin);
  });
  return { context, firstTab, devtools: await context.newCDPSession(firstTab), origins };
}

async function newContext(): Promise<BrowserContext> {
  const browser = await startChromium();
  const context = await inTime(browser.newContext(SETTINGS), () => 'a new browser context');
  context.setDefaultTimeout(PATIENCE_MS);
  return context;
}

/** Tabs opened before the tests of a file, for all of them. */
const tabsOfFile = new Set<Page>();

/** Closes the tabs of a file, and forgets what they stored. */
export async function closeTabsOfFile(): Promise<void> {
  tabsOfFile.clear();
  if (userBrowser !== undefined) await closeTabs(await userBrowser);
}

/** Open tabs keep working, because they follow live sessions and poll. */
async function closeTabs({ context, firstTab, devtools, origins }: UserBrowser): Promise<void> {
  const open = context.pages().filter((page) => page !== firstTab && !tabsOfFile.has(page));
  await inTime(Promise.all(open.map((page) => page.close())), () => 'tabs to close');
  if (tabsOfFile.size > 0) return;
  await context.clearPermissions();
  for (const origin of origins)
    await devtools.send('Storage.clearDataForOrigin', { origin, storageTypes: 'local_storage' });
  origins.clear();
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
  /** In the browser of somebody else, which shares nothing with other tabs. */
  readonly isStranger?: boolean;
}

/** A new tab that records every request and every browser error. It is closed when its test ends. */
export async function openTab({ isStranger = false, ...options }: WatchOptions = {}): Promise<Watched> {
  const page = isStranger ? await newTabOfStranger() : await newTab();
  limitScripts(page);
  const { width, height } = { ...SETTINGS.viewport, ...options };
  if (width !== SETTINGS.viewport.width || height !== SETTINGS.viewport.height)
    await page.setViewportSize({ width, height });
  if (options.colorScheme === 'dark') await page.emulateMedia({ colorScheme: 'dark' });
  await page.addInitScript(startClock, NOW.getTime() - Date.now());
  return watch(page);
}

async function newTab(): Promise<Page> {
  const browser = await (userBrowser ??= openUserBrowser());
  const opened = browser.context.waitForEvent('page');
  // A tab that is opened by another one needs no process of its own, not even for its start.
  await browser.firstTab.evaluate("void window.open('about:blank')");
  const page = await inTime(opened, () => 'a new tab');
  if (!whenTestEnds(() => closeTabs(browser))) tabsOfFile.add(page);
  return page;
}

async function newTabOfStranger(): Promise<Page> {
  const context = await newContext();
  onTestFinished(() => inTime(context.close(), () => 'a browser context to close'));
  return inTime(context.newPage(), () => 'a new tab');
}

function watch(page: Page): Watched {
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
