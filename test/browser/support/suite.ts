import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import type { DataSource } from '../../../src/app/data-source.ts';
import type { ServerDeps } from '../../../src/server/app.ts';
import type { StaticFiles } from '../../../src/server/routes/pages.ts';
import {
  addressOf,
  builtPage,
  openBrowser,
  openTab,
  type PageServer,
  servePage,
  type Watched,
  type WatchOptions,
} from './page-server.ts';

export interface VisitOptions extends WatchOptions {
  /** The screen to open; the list by default. */
  readonly path?: string;
}

export interface Suite {
  readonly browser: () => Browser;
  readonly files: () => StaticFiles;
  readonly serve: (data: DataSource, overrides?: Partial<ServerDeps>) => Promise<PageServer>;
  /** Opens the printed address and waits for the screen. */
  readonly visit: (server: PageServer, options?: VisitOptions) => Promise<Watched>;
}

/** A browser and the built page for the tests of one file; servers are closed after them. */
export function useBrowser(): Suite {
  let browser: Browser;
  const servers: PageServer[] = [];
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    for (const server of servers) await server.close();
  });
  return {
    browser: () => browser,
    files: builtPage,
    serve: async (data, overrides = {}) => {
      const server = await servePage(data, overrides);
      servers.push(server);
      return server;
    },
    visit: async (server, { path = '', ...options } = {}) => {
      const tab = await openTab(browser, options);
      await tab.page.goto(addressOf(server, path));
      await tab.page.waitForSelector('main');
      return tab;
    },
  };
}

/** Nothing in the console, and no request to another server. */
export function expectClean(tab: Watched, server: PageServer): void {
  expect(tab.complaints).toEqual([]);
  expect(tab.requests.filter((url) => !url.startsWith(server.url))).toEqual([]);
}
