import { readScreen } from './terminal-screen.ts';

export const ANSI_COLORS = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'] as const;
export type AnsiColor = (typeof ANSI_COLORS)[number];

/** A piece of terminal output in one style. */
export interface AnsiSpan {
  readonly text: string;
  readonly color: AnsiColor | null;
  readonly isBold: boolean;
  readonly isDim: boolean;
}

type Style = Omit<AnsiSpan, 'text'>;

const PLAIN: Style = { color: null, isBold: false, isDim: false };

/**
 * Output of a command in colors. Every color is reduced to one of eight names, so that it is readable on any
 * background. A line that was overwritten, such as a progress bar, keeps its last state.
 */
export function readAnsi(text: string): readonly AnsiSpan[] {
  return readScreen(text, PLAIN, applyCodes).map(({ text: part, style }) => ({ ...style, text: part }));
}

/** The same without colors. */
export function plainOutput(text: string): string {
  return readScreen(text, null, () => null)
    .map((piece) => piece.text)
    .join('');
}

function applyCodes(style: Style, text: string): Style {
  const codes = text.split(/[;:]/).map(Number);
  let next = style;
  for (let at = 0; at < codes.length; at += 1) {
    const code = codes[at] ?? 0;
    if (code !== 38 && code !== 48) {
      next = applyCode(next, code);
      continue;
    }
    const { color, length } = extendedColor(codes.slice(at + 1, at + 5));
    if (code === 38) next = { ...next, color };
    at += length;
  }
  return next;
}

function applyCode(style: Style, code: number): Style {
  if (code === 0) return PLAIN;
  if (code === 1) return { ...style, isBold: true };
  if (code === 2) return { ...style, isDim: true };
  if (code === 22) return { ...style, isBold: false, isDim: false };
  if (code === 39) return { ...style, color: null };
  const isColor = (code >= 30 && code <= 37) || (code >= 90 && code <= 97);
  // Bright black is the usual way to print gray.
  if (code === 90) return { ...style, color: null, isDim: true };
  return isColor ? { ...style, color: ANSI_COLORS[code % 10] ?? null } : style;
}

interface Extended {
  readonly color: AnsiColor | null;
  /** Codes that belong to the color. */
  readonly length: number;
}

/** `5;n` is one of 256 colors, `2;r;g;b` any color. */
function extendedColor([mode, first = 0, second = 0, third = 0]: readonly number[]): Extended {
  if (mode === 5) return { color: paletteColor(first), length: 2 };
  return mode === 2 ? { color: nearest(first, second, third), length: 4 } : { color: null, length: 0 };
}

const CUBE = [0, 95, 135, 175, 215, 255];

function paletteColor(index: number): AnsiColor | null {
  if (index < 16) return ANSI_COLORS[index % 8] ?? null;
  if (index >= 232) return null;
  const at = index - 16;
  const level = (step: number) => CUBE[Math.floor(at / step) % 6] ?? 0;
  return nearest(level(36), level(6), level(1));
}

/** The color with the same hue; null for grays. */
function nearest(red: number, green: number, blue: number): AnsiColor | null {
  const most = Math.max(red, green, blue);
  const least = Math.min(red, green, blue);
  if (most - least < 48) return null;
  const isStrong = (value: number) => value - least > (most - least) / 2;
  const index = (isStrong(red) ? 1 : 0) + (isStrong(green) ? 2 : 0) + (isStrong(blue) ? 4 : 0);
  return ANSI_COLORS[index] ?? null;
}
