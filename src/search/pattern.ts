import { FuelError } from '../domain/errors.ts';
import type { PatternNode } from '../domain/search.ts';
import { compileRegex, findRegex, type Span } from './regex/find-regex.ts';
import { foldCase, parseRegex, RegexError } from './regex/parse-regex.ts';
import { requiredTexts, textsOfPart } from './regex/required-texts.ts';

const MIN_PART_CHARS = 2;

interface PatternPlace {
  /** Start of the pattern in the search. */
  readonly from: number;
  readonly isRegex: boolean;
  readonly isCaseSensitive: boolean;
}

/** Validates a pattern. Errors: bad_query, at the character of the pattern that is not understood. */
export function checkPattern(source: string, { from, isRegex, isCaseSensitive }: PatternPlace): PatternNode {
  if (!isRegex && source.trim().length < MIN_PART_CHARS) {
    throw badQuery(from, `a partial text needs at least ${MIN_PART_CHARS} characters`);
  }
  try {
    const texts = isRegex ? requiredTexts(parseRegex(source)) : textsOfPart(source);
    const node: PatternNode = { kind: 'pattern', source, isRegex, isCaseSensitive, texts };
    compilePattern(node);
    return node;
  } catch (error) {
    if (error instanceof RegexError) throw badQuery(Math.min(from + error.at, from + source.length - 1), error.message);
    throw error;
  }
}

type FindPattern = (text: string, limit: number) => Span[];

export function compilePattern({ source, isRegex, isCaseSensitive }: PatternNode): FindPattern {
  if (!isRegex) return (text, limit) => findPart(text, foldCase(source), limit);
  const program = compileRegex(parseRegex(source), isCaseSensitive);
  return (text, limit) => findRegex(program, text, limit);
}

function findPart(text: string, part: string, limit: number): Span[] {
  const spans: Span[] = [];
  const folded = foldCase(text);
  for (let at = folded.indexOf(part); at >= 0 && spans.length < limit; at = folded.indexOf(part, at + part.length)) {
    spans.push({ from: at, to: at + part.length });
  }
  return spans;
}

/** Error for a search that cannot be parsed, with the position of the offending character. */
export function badQuery(position: number, complaint: string, hint?: string): FuelError {
  return new FuelError('bad_query', `Invalid search at character ${position + 1}: ${complaint}.`, {
    position,
    hint: hint ?? 'See docs/search.md for the syntax. To search for special characters, put them in quotes.',
  });
}
