import type { PatternNode } from '../domain/search.ts';
import { badQuery } from './bad-query.ts';
import { compileRegex, findRegex, type Span } from './regex/find-regex.ts';
import { parseRegex, RegexError } from './regex/parse-regex.ts';

const MIN_PART_CHARS = 2;

interface PatternPlace {
  /** Where the pattern begins in the search. */
  readonly from: number;
  readonly isRegex: boolean;
  readonly isCaseSensitive: boolean;
}

/** A pattern that can be searched for. Errors: bad_query, at the character of the pattern that is not understood. */
export function checkPattern(source: string, { from, isRegex, isCaseSensitive }: PatternPlace): PatternNode {
  const node: PatternNode = { kind: 'pattern', source, isRegex, isCaseSensitive };
  if (!isRegex && source.trim().length < MIN_PART_CHARS) {
    throw badQuery(from, `a part of a text needs ${MIN_PART_CHARS} characters at least`);
  }
  try {
    compilePattern(node);
    return node;
  } catch (error) {
    if (error instanceof RegexError) throw badQuery(Math.min(from + error.at, from + source.length - 1), error.message);
    throw error;
  }
}

export type FindPattern = (text: string, limit: number) => Span[];

export function compilePattern({ source, isRegex, isCaseSensitive }: PatternNode): FindPattern {
  if (!isRegex) return (text, limit) => findPart(text, source.toLowerCase(), limit);
  const program = compileRegex(parseRegex(source), isCaseSensitive);
  return (text, limit) => findRegex(program, text, limit);
}

function findPart(text: string, part: string, limit: number): Span[] {
  const spans: Span[] = [];
  const lower = text.toLowerCase();
  for (let at = lower.indexOf(part); at >= 0 && spans.length < limit; at = lower.indexOf(part, at + part.length)) {
    spans.push({ from: Math.min(at, text.length), to: Math.min(at + part.length, text.length) });
  }
  return spans;
}
