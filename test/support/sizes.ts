/**
 * The size of repeating tests. Small by default, so that `npm test` takes minutes; `TEST_SCALE=20` makes all of them
 * twenty times as long, and each can be set by its own name (CONTRIBUTING.md has the list).
 */
export function size(name: string, small: number): number {
  const own = read(name);
  return own ?? scaled(small);
}

/** The number of runs of a property test. */
export function scaled(small: number): number {
  return Math.max(1, Math.ceil(small * (read('TEST_SCALE') ?? 1)));
}

function read(name: string): number | null {
  const text = process.env[name];
  if (text === undefined || text === '') return null;
  const value = Number(text);
  if (!(value > 0)) throw new Error(`${name} is ${JSON.stringify(text)}; it must be a number above 0.`);
  return value;
}
