import { globSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

const CSS = readFileSync(new URL('tokens.css', import.meta.url), 'utf8');
const COLORS = new Map(
  [...CSS.matchAll(/--([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\);/g)].map(([, name = '', light, dark]) => [
    name,
    { light: light ?? '', dark: dark ?? '' },
  ]),
);

const TEXTS = [...COLORS.keys()].filter((name) => /^(ink|soft|faint|accent|good|warn|bad|kind-.*)$/.test(name));
const SURFACES = ['paper', 'raised', 'sunk', 'accent-sunk', 'agent-sunk', 'bad-sunk', 'warn-sunk'];
const MARKS = ['added', 'added-word', 'removed', 'removed-word', 'mark', 'mark-now'];

/** Relative luminance as WCAG 2 defines it. */
function luminance(hex: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5]
    .map((at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255)
    .map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(a: string, b: string): number {
  const [dark = 0, light = 0] = [luminance(a), luminance(b)].toSorted((x, y) => x - y);
  return (light + 0.05) / (dark + 0.05);
}

describe.each(['light', 'dark'] as const)('the %s theme', (theme) => {
  const color = (name: string) => COLORS.get(name)?.[theme] ?? '';

  test('has readable text on every surface', () => {
    const pairs = [
      ...TEXTS.flatMap((text) => SURFACES.map((surface) => [text, surface] as const)),
      ...MARKS.map((mark) => ['ink', mark] as const),
      ['on-accent', 'accent'] as const,
    ];
    const poor = pairs
      .map(([text, surface]) => ({ text, surface, ratio: contrast(color(text), color(surface)) }))
      .filter(({ ratio }) => !(ratio >= 4.5));
    expect(poor).toEqual([]);
    expect(pairs.length).toBeGreaterThan(90);
  });
});

describe('forced colors', () => {
  const WEB = new URL('..', import.meta.url);
  const FILES = globSync('**/*.css', { cwd: WEB }).map((path) => ({
    path,
    css: readFileSync(new URL(path, WEB), 'utf8'),
  }));

  /** Rules whose background alone says something, such as bars, dots and swatches. */
  const MARK = /background: var\(--(color|good|bad|kind-[\w-]+|series-\d)\)/;

  test('leave marks that are only a background their color', () => {
    const marked = FILES.filter(({ css }) => MARK.test(css));
    expect(marked.filter(({ css }) => !css.includes('forced-color-adjust: none')).map(({ path }) => path)).toEqual([]);
    expect(marked.length).toBeGreaterThan(5);
  });

  test('draw no line that is transparent otherwise', () => {
    expect(FILES.filter(({ css }) => /solid transparent/.test(css)).map(({ path }) => path)).toEqual([]);
  });
});
