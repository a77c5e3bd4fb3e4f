/** Takes note of a secret and gives what stands in its place. */
export type Found = (kind: string) => string;

/** One kind of search: gives the text with every find replaced. */
export type Replace = (text: string, found: Found) => string;

/** Stable and without meaning of its own: the same kind gives the same words, and no rule sees a secret in them. */
export function placeholder(kind: string): string {
  return `[secret:${kind}]`;
}
