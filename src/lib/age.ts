import { FuelError } from '../domain/errors.ts';

const DAY_MS = 24 * 60 * 60_000;
const UNITS_MS = { h: DAY_MS / 24, d: DAY_MS, w: 7 * DAY_MS, m: 30 * DAY_MS, y: 365 * DAY_MS } as const;
const MAX_COUNT = 10_000;

/** `90d`, `12w`, `6m`, `1y` in milliseconds. Errors: usage. */
export function readAge(text: string): number {
  const [, digits = '', unit = ''] = /^(\d+)([hdwmy])$/.exec(text.trim()) ?? [];
  const count = Number(digits);
  if (digits !== '' && count <= MAX_COUNT) return count * UNITS_MS[unit as keyof typeof UNITS_MS];
  throw new FuelError('usage', `${JSON.stringify(text)} is no age.`, {
    hint: 'Write a number and one of h, d, w, m, y: 90d is ninety days, 1y a year.',
  });
}
