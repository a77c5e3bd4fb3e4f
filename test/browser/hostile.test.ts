import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { PAGE_PATHS } from '../../src/domain/page-paths.ts';
import { until } from '../support/until.ts';
import { createHostileData, HOSTILE_ID, PAYLOADS } from './support/hostile.ts';
import { drawn, type PageServer } from './support/page-server.ts';
import { expectClean, useBrowser } from './support/suite.ts';
import { type Watched } from './support/tabs.ts';

const suite = useBrowser();
let server: PageServer;

beforeAll(async () => {
  server = await suite.serve(createHostileData(PAYLOADS));
});

const SCREENS = [...new Set(PAGE_PATHS.map((path) => path.split('/')[1]))].join('|');

/** Runs in the page: finds markup that hostile text must not have turned into. */
const FIND_FOREIGN = `[...document.querySelectorAll('*')].flatMap((element) => {
  const name = element.localName;
  const attributes = element.getAttributeNames();
  const bad = [];
  if (['iframe','object','embed','form','base','video','audio','img','image','use','style','template','math','textarea'].includes(name)) bad.push('<' + name + '>');
  if (name === 'script' && !element.src.startsWith(location.origin + '/assets/')) bad.push('script');
  if (name === 'link' && !element.href.startsWith(location.origin + '/assets/')) bad.push('link');
  if (name === 'meta' && attributes.includes('http-equiv')) bad.push('meta refresh');
  for (const attribute of attributes) {
    const value = element.getAttribute(attribute);
    if (attribute.startsWith('on') || attribute === 'srcdoc') bad.push(attribute);
    if (attribute === 'href' && name === 'a' && !/^\\/(?!\\/)(?:${SCREENS})(?:[/?]|$)/.test(value)) bad.push('href ' + value);
    if (['src', 'action', 'data', 'formaction', 'poster', 'xlink:href'].includes(attribute) && name !== 'script') bad.push(attribute + ' ' + value);
  }
  if (element.style.cssText !== '' && /url|expression/i.test(element.style.cssText)) bad.push('style ' + element.style.cssText);
  return bad;
})`;

async function expectHarmless(tab: Watched): Promise<void> {
  expect(await tab.page.evaluate(FIND_FOREIGN)).toEqual([]);
  expect(await tab.page.evaluate('window.hacked')).toBeUndefined();
  expect(tab.page.url().startsWith(server.url)).toBe(true);
}

const visit = (path = '') => suite.visit(server, { path, height: 2_000 });

/** Scrolls a virtual list from top to bottom, letting `look` see every screen. */
async function throughAll(page: Page, selector: string, look: () => Promise<void>): Promise<number> {
  let screens = 0;
  for (let isMore = true; isMore; screens += 1) {
    await drawn(page);
    await look();
    isMore = await page.evaluate(
      `(() => { const e = document.querySelector('${selector}'); const before = e.scrollTop; e.scrollTop += e.clientHeight * 0.9; return e.scrollTop > before + 1; })()`,
    );
  }
  return screens;
}

describe(`H10, H11: ${PAYLOADS.length} payloads in every text field are only text`, () => {
  test('the corpus is large enough', () => {
    expect(new Set(PAYLOADS).size).toBeGreaterThanOrEqual(200);
  });

  test('in the list, with filters by value and a preview', async () => {
    const tab = await visit();
    await tab.page.getByRole('row').first().waitFor();
    await tab.page.keyboard.press('f');
    await tab.page.getByRole('complementary', { name: 'Filters by value' }).getByText('1 session').waitFor();
    await tab.page.keyboard.press('j');
    await tab.page.keyboard.press(' ');
    await tab.page
      .getByRole('complementary', { name: 'Session preview' })
      .getByRole('heading', { name: 'Prompts' })
      .waitFor();
    const screens = await throughAll(tab.page, '[role=rowgroup]', () => expectHarmless(tab));
    expect(screens).toBeGreaterThan(3);
    expectClean(tab, server);
  });

  test('in the search', async () => {
    const tab = await visit(`/search?q=${encodeURIComponent('<img src=x onerror=window.hacked=1> " ( [ \\')}`);
    await tab.page.locator('[data-hit]').first().waitFor();
    await until(async () => expect(await tab.page.locator('[data-hit]').count()).toBe(PAYLOADS.length));
    await expectHarmless(tab);
    expectClean(tab, server);
  });

  test('in a transcript, all of it opened', async () => {
    const tab = await visit(`/session/${HOSTILE_ID}`);
    await tab.page.getByRole('feed').waitFor();
    await tab.page.getByRole('radio', { name: 'Everything' }).click();
    const screens = await throughAll(tab.page, '[role=feed]', async () => {
      await tab.page.evaluate(
        `document.querySelectorAll('[role=feed] [aria-expanded=false]').forEach((button) => button.click())`,
      );
      await tab.page.evaluate(
        `document.querySelectorAll('[role=feed] details').forEach((details) => { details.open = true; })`,
      );
      await expectHarmless(tab);
    });
    expect(screens).toBeGreaterThan(20);
    expectClean(tab, server);
  });

  test('in the details of a session', async () => {
    for (const index of [0, 70, 140]) {
      const tab = await visit(`/session/bbbbbbbb-0000-4000-8000-${String(index).padStart(12, '0')}`);
      await tab.page.getByRole('button', { name: 'Details', exact: true }).click();
      await tab.page.locator('aside').waitFor();
      await expectHarmless(tab);
      await until(async () =>
        expect(await tab.page.locator('aside').textContent()).toContain((PAYLOADS[index] ?? '').slice(0, 20)),
      );
      expectClean(tab, server);
    }
  });
});
