import {
  createPrompt,
  ExitPromptError,
  isDownKey,
  isEnterKey,
  isUpKey,
  type KeypressEvent,
  useEffect,
  useKeypress,
  useMemo,
  usePagination,
  useState,
} from '@inquirer/core';
import { FuelError } from '../../domain/errors.ts';
import { fitWidth, visibleLine, wrapWidth } from '../../lib/terminal-text.ts';
import { plural } from '../../reading/format.ts';
import { paint, type Terminal } from '../terminal.ts';
import { rankTexts } from './fuzzy.ts';

export const PICK_ACTIONS = ['read', 'open', 'resume', 'id'] as const;
export type PickAction = (typeof PICK_ACTIONS)[number];

export interface PickRow {
  readonly id: string;
  /** The text that typed letters are matched against. */
  readonly text: string;
  /** The row as shown, fitted to a width. */
  line(columns: number): string;
  /** More about the row, shown for the selected one. */
  readonly about: string;
}

export interface PickList {
  readonly rows: readonly PickRow[];
  /** The initial input. */
  readonly typed: string;
  /** Rows that contain the typed words in a text that is not loaded. */
  searchMore(typed: string): Promise<readonly PickRow[]>;
  /** The possible actions; Enter runs the first. */
  readonly actions: readonly PickAction[];
}

export interface Picked {
  readonly id: string;
  readonly action: PickAction;
}

interface Keyboard {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
  readonly terminal: Terminal;
  readonly signal: AbortSignal;
}

/** Errors: usage without a keyboard; interrupted when the user leaves without a choice. */
export async function pickAtKeyboard(list: PickList, { input, output, terminal, signal }: Keyboard): Promise<Picked> {
  if (!input.isTTY || !output.isTTY) {
    throw new FuelError('usage', '`fuel-code pick` requires a terminal.', {
      hint: 'Use `fuel-code sessions --json` in scripts.',
    });
  }
  const look = { terminal, rows: output.rows };
  try {
    const picked = await prompt({ list, look }, { input, output, signal, clearPromptOnDone: true });
    if (picked !== null) return picked;
  } catch (error) {
    if (!(error instanceof ExitPromptError) && !signal.aborted) throw error;
  }
  throw new FuelError('interrupted', 'Nothing was picked.');
}

interface Look {
  readonly terminal: Terminal;
  readonly rows: number;
}

const MAX_ROWS = 15;
const MIN_ROWS = 3;
/** The line to type in, the count, two lines about the selected row, two lines of keys, and room for the shell. */
const OTHER_ROWS = 8;
const ABOUT_LINES = 2;

const prompt = createPrompt<Picked | null, { readonly list: PickList; readonly look: Look }>(({ list, look }, done) => {
  const [typed, setTyped] = useState(list.typed);
  const [active, setActive] = useState(0);
  const [isDone, setDone] = useState(false);
  const more = useMore(list, typed);
  const found = useMemo(() => findRows(list.rows, typed, more), [list, typed, more]);
  const { columns } = look.terminal;
  const pageSize = Math.max(MIN_ROWS, Math.min(MAX_ROWS, look.rows - OTHER_ROWS));

  useEffect((line) => line.write(list.typed), [list]);
  useKeypress((key, line) => {
    const action = actionOf(key, list.actions);
    const row = found[active];
    const move = moveOf(key, pageSize);
    if (key.name === 'escape' || (action !== null && row !== undefined)) {
      setDone(true);
      done(action === null || row === undefined ? null : { id: row.id, action });
    } else if (move !== 0) setActive(Math.max(0, Math.min(found.length - 1, active + move)));
    else if (line.line !== typed) {
      setTyped(line.line);
      setActive(0);
    }
    // Enter without a match keeps the typed text, which readline has removed from its line.
    if (isEnterKey(key) && row === undefined) line.write(typed);
  });

  const page = usePagination({
    items: found,
    active,
    pageSize,
    loop: false,
    renderItem: ({ item, isActive }) => renderRow(look.terminal, item, isActive),
  });
  if (isDone) return '';
  const head = `${paint(look.terminal, 'cyan', '❯')} ${typed}`;
  const count = `${found.length} of ${plural(list.rows.length, 'session')}`;
  const about = aboutLines(found[active]?.about ?? 'No session matches.', columns);
  const parts = [
    paint(look.terminal, 'dim', fitWidth(`  ${count}`, columns - 1)),
    ...(found.length === 0 ? [] : [page]),
    ...about.map((line) => paint(look.terminal, 'dim', line)),
    paint(look.terminal, 'dim', keysLine(list.actions, columns)),
  ];
  return [head, parts.join('\n')];
});

/** Long enough for a fast typist to continue; every search uses the processor for a moment. */
const PAUSE_MS = 250;
const MIN_SEARCHED_CHARS = 3;

interface More {
  readonly typed: string;
  readonly rows: readonly PickRow[];
}

/** Rows that only a search finds, once the user stops typing. */
function useMore(list: PickList, typed: string): More {
  const [more, setMore] = useState<More>({ typed: '', rows: [] });
  useEffect(() => {
    if (typed.trim().length < MIN_SEARCHED_CHARS) return () => {};
    let isCurrent = true;
    const search = async () => {
      const rows = await list.searchMore(typed);
      if (isCurrent) setMore({ typed, rows });
    };
    // If a search fails (lost server, unusual query), the loaded sessions can still be chosen.
    const timer = setTimeout(() => void search().catch(() => {}), PAUSE_MS);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [list, typed]);
  return more;
}

function findRows(rows: readonly PickRow[], typed: string, more: More): readonly PickRow[] {
  const ranked = rankTexts(
    rows.map(({ text }) => text),
    typed,
  ).flatMap((at) => rows[at] ?? []);
  const isListed = new Set(ranked.map(({ id }) => id));
  return [...ranked, ...(more.typed === typed ? more.rows.filter(({ id }) => !isListed.has(id)) : [])];
}

/** Enter is the first action; the others have the control key and their letter. */
const LETTERS: Readonly<Record<PickAction, string>> = { read: 't', open: 'o', resume: 'r', id: 'y' };
const NAMES: Readonly<Record<PickAction, string>> = {
  read: 'read here',
  open: 'open the page',
  resume: 'resume in Claude Code',
  id: 'print the id',
};

function actionOf(key: KeypressEvent, actions: readonly PickAction[]): PickAction | null {
  if (isEnterKey(key)) return actions[0] ?? null;
  return key.ctrl ? (actions.find((action) => LETTERS[action] === key.name) ?? null) : null;
}

function moveOf(key: KeypressEvent, page: number): number {
  if (isUpKey(key) || (key.ctrl && key.name === 'p')) return -1;
  if (isDownKey(key) || (key.ctrl && key.name === 'n')) return 1;
  return { pageup: -page, pagedown: page }[key.name] ?? 0;
}

function renderRow(terminal: Terminal, row: PickRow, isActive: boolean): string {
  const line = row.line(terminal.columns - 3);
  return isActive ? paint(terminal, 'cyan', `› ${line}`) : `  ${line}`;
}

function aboutLines(about: string, columns: number): readonly string[] {
  const lines = wrapWidth(visibleLine(about), columns - 3).split('\n');
  const shown = lines.slice(0, ABOUT_LINES);
  if (lines.length > ABOUT_LINES) shown.push(fitWidth(`${shown.pop() ?? ''} …`, columns - 3));
  return ['', ...shown.map((line) => `  ${line}`)];
}

function keysLine(actions: readonly PickAction[], columns: number): string {
  const keys = actions.map(
    (action, at) => `${at === 0 ? 'Enter' : `^${LETTERS[action].toUpperCase()}`} ${NAMES[action]}`,
  );
  return wrapWidth(['', ...keys, 'Esc leave'].join('  ').trim(), columns - 3)
    .split('\n')
    .map((line) => `  ${line}`)
    .join('\n');
}
