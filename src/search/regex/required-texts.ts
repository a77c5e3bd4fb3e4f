import { type CharSet, foldCase, type Regex } from './parse-regex.ts';

/** Minimum length that an index or a database scan can search for; shorter texts occur nearly everywhere. */
const MIN_TEXT_CHARS = 3;
const MAX_TEXTS = 8;
/** Excludes everything that JSON may escape; the rest is printable ASCII without quotes and backslashes. */
const NOT_PLAIN = /[^\x20-\x7e]|["\\]/;
/** Large and small numbers have several spellings. */
const NUMBER_SIGNS = /^(?!\d+$)[\d.e+-]+$/;

/** Lower-case texts, at least one of which occurs in every match of the pattern; empty if nothing is known. */
export function requiredTexts(regex: Regex): readonly string[] {
  return bestOf(factsOf(regex)) ?? [];
}

/** The same for a literal text. */
export function textsOfPart(part: string): readonly string[] {
  return bestOf({ exact: null, found: foldCase(part).split(NOT_PLAIN).map(oneText) }) ?? [];
}

type Texts = readonly string[];

interface Facts {
  /** The only text it matches, in lower case; null if there can be several. */
  readonly exact: string | null;
  /** Lists of texts; at least one text of each list must occur. */
  readonly found: readonly Texts[];
  /** The text that it starts and ends with, if it repeats a single one. */
  readonly repeated?: string;
}

const NOTHING: Facts = { exact: null, found: [] };
const oneText = (text: string): Texts => [text];

function factsOf(regex: Regex): Facts {
  if (regex.kind === 'assert') return { exact: '', found: [] };
  if (regex.kind === 'set') return { exact: letterOf(regex.set), found: [] };
  if (regex.kind === 'sequence') return sequenceFacts(regex.items);
  if (regex.kind === 'choice') return choiceFacts(regex.items);
  if (regex.min === 0) return NOTHING;
  const { exact, found } = factsOf(regex.item);
  return exact === null ? { exact, found } : { exact: null, found: [oneText(exact)], repeated: exact };
}

/** The single letter of a set, regardless of case. */
function letterOf({ ranges, isNegated }: CharSet): string | null {
  if (isNegated || ranges.some(([from, to]) => from !== to)) return null;
  const letters = ranges.map(([unit]) => String.fromCharCode(unit));
  const [letter = '', ...others] = new Set(letters.map((one) => one.toLowerCase()));
  return others.length === 0 && !letters.some((one) => NOT_PLAIN.test(one)) ? letter : null;
}

/** `ab+c` contains ab and bc: a repeated letter ends one run and starts the next. */
function sequenceFacts(items: readonly Regex[]): Facts {
  const found: Texts[] = [];
  let run = '';
  let isExact = true;
  for (const item of items) {
    const { exact, found: inner, repeated = '' } = factsOf(item);
    if (exact !== null) {
      run += exact;
      continue;
    }
    isExact = false;
    found.push(oneText(run + repeated), ...inner);
    run = repeated;
  }
  return { exact: isExact ? run : null, found: [...found, oneText(run)] };
}

function choiceFacts(items: readonly Regex[]): Facts {
  const each = items.map((item) => bestOf(factsOf(item)));
  const texts = each.flatMap((one) => one ?? []);
  return each.includes(null) || texts.length > MAX_TEXTS ? NOTHING : { exact: null, found: [texts] };
}

/** The list with the longest shortest text. */
function bestOf({ exact, found }: Facts): Texts | null {
  const lists = exact === null ? found : [...found, oneText(exact)];
  const useful = lists.filter((texts) => texts.length > 0 && texts.every(isUseful));
  const shortest = (texts: Texts) => Math.min(...texts.map((text) => text.length));
  return useful.toSorted((a, b) => shortest(b) - shortest(a))[0] ?? null;
}

function isUseful(text: string): boolean {
  return text.length >= MIN_TEXT_CHARS && !NUMBER_SIGNS.test(text);
}
