import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { findSerious } from './support/axe.ts';
import { makeTalk, TALK_ID } from './support/conversation.ts';
import { createMemoryData } from './support/memory-data.ts';
import { drawn, isOverflowing } from './support/page-server.ts';
import { useBrowser } from './support/suite.ts';

const { serve, visit } = useBrowser();

function talkData() {
  const { session, messages } = makeTalk();
  return createMemoryData({ sessions: [session], messages: new Map([[TALK_ID, messages]]) });
}

const SCREENS: Readonly<Record<string, (page: Page) => Promise<void>>> = {
  '/': (page) => page.getByRole('grid').waitFor(),
  '/?q=is:pinned': (page) => page.getByRole('status').filter({ hasText: 'No sessions match' }).waitFor(),
  [`/compare/${TALK_ID}/${TALK_ID}`]: (page) => page.getByRole('heading', { name: 'Figures' }).waitFor(),
  '/search': (page) => page.getByText('Search prompts').waitFor(),
  '/search?q=timetable': (page) => page.locator('[data-hit]').first().waitFor(),
  [`/session/${TALK_ID}?view=graph`]: (page) => page.locator('[data-node]').first().waitFor(),
  [`/session/${TALK_ID}?view=context`]: (page) => page.getByText('No answer in this conversation').waitFor(),
  [`/session/${TALK_ID}?view=waterfall`]: (page) => page.getByText('No tool calls with a time').waitFor(),
  [`/session/${TALK_ID}?view=cost`]: (page) => page.getByText('No file was read').waitFor(),
  [`/session/${TALK_ID}`]: (page) => page.locator('[data-item=prompt]').first().waitFor(),
  '/cost': (page) => page.getByText('No usage in this period.').waitFor(),
  '/timeline': (page) => page.getByText('No activity yet.').waitFor(),
  '/tools': (page) => page.getByText('No tool was called').waitFor(),
  '/files': (page) => page.getByText('No file was read').waitFor(),
  '/health': (page) => page.getByText('No transcripts found.').waitFor(),
};

const PANELS: Readonly<Record<string, (page: Page) => Promise<void>>> = {
  palette: async (page) => {
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').getByRole('option').first().waitFor();
  },
  keys: async (page) => {
    await page.keyboard.press('?');
    await page.getByRole('dialog').waitFor();
  },
  access: async (page) => {
    await page.getByRole('button', { name: 'Browsers with access' }).click();
    await page.getByRole('dialog').getByRole('listitem').first().waitFor();
  },
};

/** Rules about colors depend on the theme, those about sizes on the width: two views check both. */
const VIEWS = [
  { width: 360, height: 700, colorScheme: 'dark' },
  { width: 1_280, height: 800, colorScheme: 'light' },
] as const;
const WIDEST = { width: 2_560, height: 1_300 };

test.each(VIEWS)('every screen at $width px, $colorScheme', async (view) => {
  const server = await serve(talkData());
  const found: Record<string, readonly string[]> = {};
  const { page } = await visit(server, view);
  for (const [path, isShown] of Object.entries(SCREENS)) {
    await page.goto(server.url.slice(0, -1) + path);
    await isShown(page);
    found[path] = await findSerious(page);
    for (const size of [view, WIDEST, view]) {
      await page.setViewportSize(size);
      await drawn(page);
      expect([path, size.width, await isOverflowing(page)]).toEqual([path, size.width, false]);
    }
  }
  expect(found).toEqual(Object.fromEntries(Object.keys(SCREENS).map((path) => [path, []])));
});

test.each(['light', 'dark'] as const)('everything that opens in front of a screen, %s', async (colorScheme) => {
  const server = await serve(talkData());
  const { page } = await visit(server, { colorScheme });
  const found: Record<string, readonly string[]> = {};
  for (const [name, open] of Object.entries(PANELS)) {
    await page.getByRole('grid').waitFor();
    await open(page);
    found[name] = await findSerious(page);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  }
  expect(found).toEqual({ palette: [], keys: [], access: [] });
});
