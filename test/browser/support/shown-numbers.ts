import type { Page } from 'playwright-core';

/** The figures shown on a session page, as text. */
export interface Shown {
  readonly head: readonly string[];
  readonly facts: Readonly<Record<string, string>>;
  readonly cost: string;
  readonly chapters: Readonly<Record<string, readonly string[]>>;
  /** Commits below each chapter. */
  readonly commits: Readonly<Record<string, number>>;
  /** The sentence about the work of each turn. */
  readonly strips: Readonly<Record<string, readonly string[]>>;
  readonly agents: readonly { readonly name: string; readonly facts: string }[];
  readonly ways: readonly string[];
}

/** Runs in the page; the rows of all turns must be in the document. */
const READ = `(() => {
  const all = (query, from = document) => [...from.querySelectorAll(query)];
  const texts = (query, from) => all(query, from).map((element) => element.textContent.trim());
  const rows = (kind) => all('[role=article][data-kind=' + kind + ']');
  const byTurn = (elements, read) => Object.fromEntries(elements.map((element) => [element.dataset.turn, read(element)]));
  return {
    head: texts('.session-title p > :is(bdi, a)'),
    cost: document.querySelector('.fact-cost')?.firstChild?.textContent ?? '',
    facts: Object.fromEntries(all('.fact').map((fact) => [texts('dt', fact)[0], texts('dd', fact)[0]])),
    chapters: byTurn(all('nav [data-turn]'), (chapter) => texts('[data-part=facts] > span', chapter)),
    commits: byTurn(all('nav [data-turn]'), (chapter) =>
      texts('[data-part=commits] li', chapter.parentElement)
        .reduce((sum, text) => sum + Number(/^(\\d+) more commits?$/.exec(text)?.[1] ?? 1), 0)),
    strips: byTurn(rows('strip'), (row) => texts('[data-part=work] > span', row)),
    agents: rows('agent').map((row) => ({ name: texts('[data-part=name]', row)[0], facts: texts('[data-part=facts]', row)[0] })),
    ways: rows('ways').map((row) => texts('strong, strong + span', row).join(': ')),
  };
})()`;

export function readShown(page: Page): Promise<Shown> {
  return page.evaluate(READ);
}
