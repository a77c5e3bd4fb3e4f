/** Grammar helpers: counts, lists, quotes. */

export function count(n: number, one: string, many = `${one}s`): string {
  return `${n.toLocaleString('en-US')} ${n === 1 ? one : many}`;
}

/** `a, b and c`; items over the limit are counted. */
export function enumerate(items: readonly string[], max: number): string {
  return enumerateCounted(items.slice(0, max), items.length);
}

/** The same for a list of which only the first items are given. */
export function enumerateCounted(shown: readonly string[], total: number): string {
  const rest = total - shown.length;
  const all = rest > 0 ? [...shown, `${rest.toLocaleString('en-US')} more`] : shown;
  return all.length < 2 ? (all[0] ?? '') : `${all.slice(0, -1).join(', ')} and ${all.at(-1)}`;
}

export function quoted(text: string): string {
  return `“${text}”`;
}

/** The text as a complete sentence. */
export function sentence(text: string): string {
  const end = /[.!?…。！？]”?$/.test(text) ? '' : '.';
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${end}`;
}
