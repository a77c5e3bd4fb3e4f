import type { Detect } from './detect.ts';

/** A secret that is known by what stands before it: group 1 of the pattern stays, group 2 is the secret. */
export interface Context {
  readonly kind: string;
  /** A text without any of these cannot match. */
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
  return (text, report) => {
    for (const { kind, hints, pattern, isSecret } of contexts) {
      if (!hints.some((hint) => text.includes(hint))) continue;
      for (const match of text.matchAll(pattern)) {
        const [, before = '', value = ''] = match;
        const start = match.index + before.length;
        if (isSecret(value)) report(kind, start, start + value.length);
      }
    }
  };
}
