import { afterAll, expect } from 'vitest';
import type { DataSource } from '../../../src/app/data-source.ts';
import type { ServerDeps } from '../../../src/server/app.ts';
import type { StaticFiles } from '../../../src/server/routes/pages.ts';
import { addressOf, builtPage, type PageServer, servePage } from './page-server.ts';
import { closeTabsOfFile, openTab, type Watched, type WatchOptions } from './tabs.ts';
import { whenTestEnds } from './when-test-ends.ts';

export interface VisitOptions extends WatchOptions {
  /** The screen to open; the list by default. */
  readonly path?: string;
}

export interface Suite {
  readonly files: () => StaticFiles;
  readonly serve: (data: DataSource, overrides?: Partial<ServerDeps>) => Promise<PageServer>;
  /** Opens the printed address and waits for the screen. */
  readonly visit: (server: PageServer, options?: VisitOptions) => Promise<Watched>;
}

/** Servers and tabs for the tests of one file. They are closed after the test, or the file, that opened them. */
export function useBrowser(): Suite {
  const servers: PageServer[] = [];
  afterAll(async () => {
    await closeTabsOfFile();
    for (const server of servers) await server.close();
  });
  return {
    files: builtPage,
    serve: async (data, overrides = {}) => {
      const server = await servePage(data, overrides);
      if (!whenTestEnds(() => server.close())) servers.push(server);
      return server;
    },
    visit: async (server, { path = '', ...options } = {}) => {
      const tab = await openTab(options);
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
