import { FuelError } from './errors.ts';

/** Turns of the main conversation, counted from 1; both ends are included. */
export interface TurnRange {
  readonly first: number;
  readonly last: number;
}

const RANGE = /^(\d{1,9})(?:-(\d{1,9})?)?$/;

/** `3`, `3-7`, or `3-` up to the end. Errors: usage. */
export function readTurnRange(text: string, name: string): TurnRange {
  const match = RANGE.exec(text.trim());
  const first = Number(match?.[1] ?? 0);
  const isOpen = text.trim().endsWith('-');
  const last = isOpen ? Number.MAX_SAFE_INTEGER : Number(match?.[2] ?? first);
  if (first >= 1 && last >= first) return { first, last };
  throw new FuelError(
    'usage',
    `${name} must be a turn or a range of turns such as 3, 3-7 or 3-, not ${JSON.stringify(text)}.`,
    {
      hint: 'The first turn is 1.',
    },
  );
}
