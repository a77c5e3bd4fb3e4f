/** The terminal as seen by commands: its capabilities and its output streams. */
export interface Terminal {
  readonly columns: number;
  readonly hasColor: boolean;
  readonly isInteractive: boolean;
  out(text: string): void;
  /** Progress and warnings, kept apart from the output that scripts read. */
  err(text: string): void;
  /** Waits until a slow reader has caught up, so that output is not collected in memory. */
  drain(): Promise<void>;
  /** Asks a yes/no question; false without a keyboard. */
  ask(question: string): Promise<boolean>;
}

const DEFAULT_COLUMNS = 100;
const MIN_COLUMNS = 20;

interface Output {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly writableNeedDrain?: boolean;
  write(text: string): unknown;
  once?(event: 'drain', listener: () => void): unknown;
}

interface Input extends NodeJS.ReadableStream {
  readonly isTTY?: boolean;
}

/** Standard input is opened by the first question: opening it takes longer than most commands need for their answer. */
export function createTerminal(
  stdin: () => Input,
  stdout: Output,
  stderr: Output,
  env: Readonly<Record<string, string | undefined>>,
): Terminal {
  const isTerminal = stdout.isTTY === true;
  const columns = Number(env.COLUMNS) || stdout.columns || DEFAULT_COLUMNS;
  return {
    columns: Math.max(MIN_COLUMNS, columns),
    hasColor: isTerminal && !env.NO_COLOR && env.TERM !== 'dumb',
    isInteractive: stderr.isTTY === true && env.TERM !== 'dumb' && !env.CI,
    out: (text) => void stdout.write(text),
    err: (text) => void stderr.write(text),
    drain: () => drain(stdout),
    ask: (question) => ask(stdin(), stderr, question),
  };
}

function drain(stdout: Output): Promise<void> {
  if (stdout.writableNeedDrain !== true) return Promise.resolve();
  return new Promise((resolve) => void stdout.once?.('drain', resolve));
}

async function ask(stdin: Input, stderr: Output, question: string): Promise<boolean> {
  if (stdin.isTTY !== true) return false;
  stderr.write(`${question} [y/N] `);
  const { createInterface } = await import('node:readline/promises');
  const lines = createInterface({ input: stdin });
  try {
    for await (const line of lines) return /^y(es)?$/i.test(line.trim());
    return false;
  } finally {
    lines.close();
  }
}

const CODES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 } as const;
export type Style = keyof typeof CODES;

const STATE_STYLES: Readonly<Record<string, Style>> = {
  failed: 'red',
  error: 'red',
  rejected: 'red',
  denied: 'yellow',
  interrupted: 'yellow',
  unanswered: 'yellow',
  in_progress: 'green',
  completed: 'dim',
  done: 'dim',
  ok: 'dim',
};

/** One color per meaning: failed red, stopped yellow, running green, finished dim. */
export function stateStyle(state: string): Style | null {
  return STATE_STYLES[state] ?? null;
}

/** Our own colors, applied to text that is already safe. */
export function paint(terminal: Terminal, style: Style, text: string): string {
  return terminal.hasColor ? `\u001b[${CODES[style]}m${text}\u001b[0m` : text;
}
