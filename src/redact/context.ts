import { createAnchorScan } from './anchors.ts';
import type { Detect } from './detect.ts';

/** A secret recognised by the text before it: group 1 of the pattern stays, group 2 is the secret. */
export interface Context {
  readonly kind: string;
  /** A text that contains none of these cannot match. */
  readonly hints: readonly string[];
  readonly pattern: RegExp;
  readonly isSecret: (value: string) => boolean;
}

const anything = () => true;

export function context(
  kind: string,
  hints: string | readonly string[],
  pattern: RegExp,
  isSecret: (value: string) => boolean = anything,
): Context {
  return { kind, hints: typeof hints === 'string' ? [hints] : hints, pattern, isSecret };
}

export function detectContexts(contexts: readonly Context[]): Detect {
  const byHint = new Map<string, Context[]>();
  for (const each of contexts) {
    for (const hint of each.hints) byHint.set(hint, [...(byHint.get(hint) ?? []), each]);
  }
  const scan = createAnchorScan(byHint);
  return (text, report) => {
    const possible = new Set<Context>();
    scan(text, (_, __, found) => {
      for (const each of found) possible.add(each);
      return null;
    });
    for (const { kind, pattern, isSecret } of possible) {
      for (const match of text.matchAll(pattern)) {
        const [, before = '', value = ''] = match;
        const start = match.index + before.length;
        if (isSecret(value)) report(kind, start, start + value.length);
      }
    }
  };
}
