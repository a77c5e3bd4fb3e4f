import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { formatCost, formatDuration } from '../../src/reading/format.ts';
import { runCommand } from '../support/run-command.ts';
import { until } from '../support/until.ts';
import {
  commitsOf,
  currentTurns,
  expectedAgents,
  expectedChapter,
  expectedFacts,
  expectedStrip,
  expectedWays,
  type Lists,
  looseAgents,
  readLists,
  readStrip,
} from './support/expected-numbers.ts';
import { type OpenedSessions, openSessions } from './support/open-sessions.ts';
import type { PageServer } from './support/page-server.ts';
import { HAS_REAL_SESSIONS, linkRealHome, writeFixtureHome } from './support/session-homes.ts';
import { readShown, type Shown } from './support/shown-numbers.ts';
import { useBrowser } from './support/suite.ts';

const suite = useBrowser();
/**
 * Makes the lists tall enough for every row to be in the document; the style is set in a way that the page's policy allows.
 */
const SHOW_ALL = `document.styleSheets[0].insertRule('[role=feed], nav > [role=list] { flex: none; height: 60000px }')`;

describe('the numbers of a session are the same on the page, in the API and in the terminal', () => {
  it('for every transcript of the repository', async () => {
    expect(await faultsIn(writeFixtureHome, 25)).toEqual([]);
  });

  it('for real sessions', async ({ skip }) => {
    skip(!HAS_REAL_SESSIONS, 'set TEST_CLAUDE_HOME to a Claude home with real sessions');
    expect(await faultsIn(linkRealHome, 1)).toEqual([]);
  });
});

async function faultsIn(
  writeHome: (home: string) => Promise<void> | void,
  minSessions: number,
): Promise<readonly string[]> {
  await using opened = await openSessions(writeHome);
  const { app } = opened;
  const { sessions } = await app.get('/sessions', { query: { limit: 200 } });
  expect(sessions.length).toBeGreaterThanOrEqual(minSessions);
  const server = await suite.serve(app);
  const { page } = await suite.visit(server);
  const faults: string[] = [];
  for (const { id } of sessions) {
    const lists = await readLists(app, id);
    for (const fault of await compare(page, server, lists, opened)) faults.push(`${id.slice(0, 8)} ${fault}`);
  }
  // The page must be closed before the database it follows.
  await page.close();
  return faults;
}

async function compare(
  page: Page,
  server: PageServer,
  lists: Lists,
  world: OpenedSessions,
): Promise<readonly string[]> {
  const terminal = await readTerminal(lists, world);
  await page.goto(new URL(`/session/${lists.detail.id}`, server.url).href);
  const faults = compareTerminal(lists, terminal);
  // A session without a prompt may have nothing to read.
  await page.locator('[role=feed], [data-part=nothing]').first().waitFor();
  await page.evaluate(SHOW_ALL);
  if ((await page.getByRole('feed').count()) === 0) return [...faults, ...compareHead(lists, await readShown(page))];
  const answers = await showAll(page, '1');
  const work = await showAll(page, '2');
  return [
    ...faults,
    ...compareHead(lists, answers),
    ...compareTurns(lists, answers),
    ...compareAgents(lists, work, terminal),
  ];
}

/** The output of `fuel-code session`, and of its transcript. */
interface TerminalText {
  readonly detail: unknown;
  readonly lines: Readonly<Record<string, string>>;
  readonly transcript: string;
}

const WIDE_COLUMNS = 400;
const LABEL = /^(Duration|Messages|Tokens|Cost) +(.+)$/gm;

async function readTerminal({ detail: { id } }: Lists, { config, open }: OpenedSessions): Promise<TerminalText> {
  const run = async (...options: string[]) => {
    const words = ['session', id, '--no-import', ...options];
    const { out, error } = await runCommand(words, { config, openApp: open, columns: WIDE_COLUMNS });
    expect(error).toBeNull();
    return out;
  };
  const { schema_version: _, ...json } = JSON.parse(await run('--json')) as Readonly<Record<string, unknown>>;
  const transcript = await run('--transcript', '--subagents');
  const lines = Object.fromEntries([...transcript.matchAll(LABEL)].map(([, name, text]) => [name, text]));
  return { detail: json, lines, transcript };
}

function compareTerminal({ detail }: Lists, { detail: printed, lines }: TerminalText): string[] {
  const faults = JSON.stringify(printed) === JSON.stringify(detail) ? [] : ['--json differs from the API'];
  const { total_messages, user_messages, assistant_messages } = detail;
  const messages = `${total_messages ?? 0} (${user_messages ?? 0} from you, ${assistant_messages ?? 0} from the model)`;
  if (lines['Messages']?.startsWith(messages) !== true) faults.push(`terminal: ${lines['Messages']}, not ${messages}`);
  return faults;
}

/** Shows the session in a density, with the copied beginning unfolded. */
async function showAll(page: Page, density: '1' | '2'): Promise<Shown> {
  await page.keyboard.press(density);
  const rows = page.getByRole('article');
  await rows.first().waitFor();
  const folded = page.locator('[data-kind=inherited] [aria-expanded=false]');
  if ((await folded.count()) > 0) {
    await folded.click();
    await page.locator('[data-kind=inherited] [aria-expanded=true]').waitFor();
  }
  await until(async () => {
    expect(await page.getByRole('radio', { checked: true }).textContent()).toBe(density === '1' ? 'Answers' : 'Work');
    const all = Number(await rows.first().getAttribute('aria-setsize'));
    expect(await rows.count()).toBe(all);
  });
  return readShown(page);
}

const differs = (what: string, shown: unknown, expected: unknown): readonly string[] =>
  JSON.stringify(shown) === JSON.stringify(expected)
    ? []
    : [`${what}: ${JSON.stringify(shown)}, not ${JSON.stringify(expected)}`];

function compareHead(lists: Lists, { head, facts, cost }: Shown): readonly string[] {
  const { duration_ms, cost_estimate_usd, unknown_models } = lists.detail;
  const total = formatCost(cost_estimate_usd, unknown_models);
  const expected = expectedFacts(lists);
  const shown = Object.fromEntries(Object.keys(expected).map((name) => [name, facts[name]]));
  return [
    ...differs('header', head.slice(-2), [formatDuration(duration_ms), total]),
    ...differs('cost', cost, total),
    ...differs('facts', shown, expected),
  ];
}

function compareTurns(lists: Lists, { chapters, commits, strips, ways }: Shown): readonly string[] {
  const turns = currentTurns(lists);
  return [
    ...differs('chapters', Object.keys(chapters).map(Number), turns),
    ...differs(
      'ways',
      ways.map((text) => text.split(':')[0]),
      expectedWays(lists),
    ),
    ...turns.flatMap((turn) => differs(`chapter ${turn}`, chapters[turn], expectedChapter(lists, turn))),
    ...turns.flatMap((turn) => differs(`commits of chapter ${turn}`, commits[turn], commitsOf(lists, turn))),
    ...turns.flatMap((turn) => compareStrip(lists, turn, strips[turn])),
  ];
}

function compareStrip(lists: Lists, turn: number, strip: readonly string[] | undefined): readonly string[] {
  const expected = expectedStrip(lists, turn);
  const shown = readStrip(strip ?? []);
  // A prompt without an answer has no sentence about the work.
  const ignored = strip === undefined ? ['duration'] : looseAgents(lists) > 0 ? ['agents'] : [];
  const names = [...new Set([...Object.keys(expected), ...Object.keys(shown)])].filter(
    (name) => !ignored.includes(name),
  );
  return names.flatMap((name) => differs(`turn ${turn}, ${name}`, shown[name], expected[name]));
}

function compareAgents(lists: Lists, { agents }: Shown, { transcript }: TerminalText): readonly string[] {
  const known = expectedAgents(lists).map((agent) => JSON.stringify(agent));
  const top = lists.subagents.filter(({ parent_agent_id, stats }) => parent_agent_id === null && stats.messages > 0);
  return [
    ...agents.flatMap((agent) => (known.includes(JSON.stringify(agent)) ? [] : [`agent ${JSON.stringify(agent)}`])),
    ...agents.flatMap(({ name, facts }) =>
      transcript.includes(`⧉ ${name} · ${facts}`) ? [] : [`terminal: no agent ${name} · ${facts}`],
    ),
    ...(lists.branches.length > 0 ? [] : differs('agents', agents.length, top.length)),
  ];
}
