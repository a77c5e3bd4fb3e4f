import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import type { DataSource } from '../../../src/app/data-source.ts';
import { until } from '../../support/until.ts';
import type { PageServer } from './page-server.ts';
import { useBrowser } from './suite.ts';
import type { Watched, WatchOptions } from './tabs.ts';

/** Servers and tabs of one test file. */
export interface SessionPages {
  serve(data: DataSource): Promise<PageServer>;
  /** Opens a session and returns the tab once its rows are visible. */
  open(server: PageServer, path: string, options?: WatchOptions): Promise<Watched>;
}

export function useSessionPages(): SessionPages {
  const suite = useBrowser();
  return {
    serve: (data) => suite.serve(data),
    open: async (server, path, options = {}) => {
      const tab = await suite.visit(server, { path, ...options });
      await tab.page.getByRole('article').first().waitFor();
      return tab;
    },
  };
}

/** The kinds of the rows in the document, in order. */
export function kindsOf(page: Page): Promise<readonly string[]> {
  return page.evaluate(
    `[...document.querySelectorAll('[role=article]')].sort((a, b) => a.dataset.index - b.dataset.index).map((row) => row.dataset.kind)`,
  );
}

export async function untilKinds(page: Page, kinds: readonly string[]): Promise<void> {
  await until(async () => expect(await kindsOf(page)).toEqual(kinds));
}

export function scrollTop(page: Page): Promise<number> {
  return page.evaluate(`document.querySelector('[role=feed]').scrollTop`);
}
