const STEPS = [1, 2, 2.5, 5, 10];

/** Round values from 0 to at least `max`, about `count` of them, for the lines behind a chart. */
export function roundTicks(max: number, count = 4): readonly number[] {
  if (!(max > 0) || !Number.isFinite(max)) return [0];
  const rough = max / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = (STEPS.find((each) => each * power >= rough) ?? 10) * power;
  const ticks = [0];
  while ((ticks.at(-1) ?? 0) < max) ticks.push(ticks.length * step);
  return ticks;
}

/** Every nth of `count` labels fits into the width. */
export function labelEvery(count: number, widthPx: number, labelPx: number): number {
  return Math.max(1, Math.ceil((count * labelPx) / Math.max(widthPx, 1)));
}

/** How many colors a chart has: series beyond them share the last one. */
export const TONES = 6;

/** The color of the series with this rank: `tone-1` to `tone-6` in charts.module.css. */
export function toneOf(rank: number): string {
  return `tone-${Math.min(rank + 1, TONES)}`;
}
