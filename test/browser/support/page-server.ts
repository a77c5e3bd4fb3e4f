import type { Page } from 'playwright-core';
import { inject } from 'vitest';
import type { DataSource } from '../../../src/app/data-source.ts';
import type { ServerDeps } from '../../../src/server/app.ts';
import { readStaticFiles, type StaticFiles } from '../../../src/server/routes/pages.ts';
import { createEmptyCommands } from './empty-commands.ts';
import { withQueries } from './empty-data.ts';
import { startTestServer, type TestServer, TOKEN } from './make-app.ts';
import { createMemoryKeys } from './memory-keys.ts';

let files: StaticFiles | undefined;

/** The page as it ships, built once by test/setup/page.ts. Its files are compressed once for all servers of a process. */
export function builtPage(): StaticFiles {
  return (files ??= readStaticFiles(inject('webRoot')));
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
