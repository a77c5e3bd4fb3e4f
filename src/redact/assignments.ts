import { createAnchorScan, type Detect } from './detect.ts';
import { classifyName, NAME_STEMS, secretKind } from './names.ts';
import { spacedValueAt } from './secret-files.ts';
import { CONNECTION, isLineOfItsOwn, type Name, signAfter } from './signs.ts';
import { type Form, isHex, isPassphrase, isPublishable } from './values.ts';
import { isJumble } from './vendor-format.ts';

const MAX_NAME_CHARS = 64;
const NAME_CHAR = /[\w.$-]/;
const REST_OF_NAME = /[\w.$-]{0,64}/y;

const scan = createAnchorScan(
  NAME_STEMS.map((stem) => [stem, stem.length] as const),
  { ignoreCase: true },
);

/**
 * Finds `NAME=value`, `"name": "value"`, `--name value`, `<name>value</name>`, and other ways to assign a value to a
 * name.
 */
export const detectAssignments: Detect = (text, report) => {
  scan(text, (at, _, length) => {
    const name = nameAround(text, at, at + length);
    if (isPlaceholder(text, name) || isArn(text, name) || isTestResult(text, name)) return name.end;
    let last = name.end;
    for (const value of classifyName(name.text) === null ? [] : valuesAfter(text, name)) {
      const kind = secretKind(name.text, value.literal ?? value.text, value.form);
      if (kind === null || isSample(text, name, value)) continue;
      last = Math.max(last, endOfValue(text, name, value));
      report(kind, value.start, last);
    }
    return last;
  });
};

const VARIABLE = /(?<![\w.-])[A-Z][A-Z0-9_]{1,40}=["']?([A-Za-z0-9][\w+~-]{19,200}={0,2})(?=["']?(?:[\s;&|]|$))/gm;
/** Variables with a name for something else, such as `BUILD_ID`. */
const OTHER_VARIABLE =
  /(?:ID|HASH|SHA\w*|DIGEST|SUM|REV|REF|COMMIT|VERSION|TAG|NAME|PUBLIC\w*|PUB|NONCE|CURSOR|ETAG|SIGNATURE|SIG|CERT\w*|FINGERPRINT|SITE_KEY|PATTERN|CHARS|ALPHABET)=/;

/** Finds variables of an environment with a generated value, whatever their names: `STRIPE=x`. */
export const detectVariables: Detect = (text, report) => {
  for (const { 0: all, 1: value = '', index } of text.matchAll(VARIABLE)) {
    const start = index + all.length - value.length;
    if (isJumble(value.replace(/=+$/, '')) && !isHex(value) && !isPublishable(value) && !OTHER_VARIABLE.test(all))
      report('assigned-secret', start, start + value.length);
  }
};

function nameAround(text: string, stemStart: number, stemEnd: number): Name {
  let start = stemStart;
  while (start > 0 && stemStart - start < MAX_NAME_CHARS && NAME_CHAR.test(text.charAt(start - 1))) start--;
  REST_OF_NAME.lastIndex = stemEnd;
  REST_OF_NAME.test(text);
  const end = REST_OF_NAME.lastIndex;
  const name = text.slice(start, end);
  // "API key" and "secret key" are two-word names.
  const first = /^key$/i.test(name)
    ? /[A-Za-z]{2,12} $/.exec(text.slice(Math.max(0, start - 13), start))?.[0]
    : undefined;
  if (/^key$/i.test(name) && /[?&]/.test(text.charAt(start - 1))) return { text: 'query_key', start, end };
  const parent = /^["']?key$/i.test(name) ? PARENT.exec(text.slice(Math.max(0, start - 240), start))?.[1] : undefined;
  if (parent !== undefined && classifyName(`${parent}_key`) === 'key') return { text: `${parent}_key`, start, end };
  const both = `${first ?? ''}${name}`;
  return { text: classifyName(both) === 'key' ? both : name, start, end };
}

/** The object or the section around a name: `"jwt": {"issuer": "x", "key": …`. */
const PARENT = /["']?\b([A-Za-z]{2,20})["']?[ \t]{0,3}[:=]?[ \t]{0,3}(?:\{[^{}]{0,200}|\r?\n[ \t]{1,20})["']?$/;
const EXAMPLE_LINE = /(?:^|\n)[ \t]{0,20}\*[ \t]{3,40}$/;

/** A word in a code example inside a comment: ` *     password: 'ahotproject'`. */
function isSample(text: string, name: Name, value: Value): boolean {
  return /^[a-z]+$/.test(value.text) && EXAMPLE_LINE.test(text.slice(Math.max(0, name.start - 64), name.start));
}

const PLACEHOLDER = /\[secret:[a-z0-9-]{1,40}\]/y;

function isPlaceholder(text: string, name: Name): boolean {
  PLACEHOLDER.lastIndex = name.start - 1;
  return name.text === 'secret' && name.start > 0 && PLACEHOLDER.test(text);
}

/** `arn:aws:secretsmanager:eu-west-1:123456789012:secret:name` refers to a secret. */
function isArn(text: string, name: Name): boolean {
  return name.text === 'secret' && /\barn:[\w:-]{1,80}:$/.test(text.slice(Math.max(0, name.start - 90), name.start));
}

/** `PASS: case-2`, unless a line or a word before it names a user. */
function isTestResult(text: string, name: Name): boolean {
  const isResult = name.text === 'PASS' && /^:[ \t]/.test(text.slice(name.end, name.end + 2));
  return isResult && !/\b(?:user|login)/i.test(text.slice(Math.max(0, name.start - 80), name.start));
}

interface Value {
  readonly start: number;
  readonly text: string;
  /** The value to classify when a special character in it has no meaning, such as a dollar sign in single quotes. */
  readonly literal?: string;
  readonly form: Form;
}

/** The other operand of `a || "x"`, and prefixes of string literals in some languages. */
const BEFORE_STRING =
  /(?:[\w.$?()[\]]{1,80}[ \t]{0,2}(?:\|\||\?\??|\bor\b)[ \t]{0,2})?(?:[brufBRUFN@]{0,2}|new[ \t]|<<)(?:\[(?:\]byte\()?|<(?:const|string)>)?(?:(?:os\.)?(?:env|getenv|config)\(["'][\w.]{1,60}["'],[ ]?)?(?:(?:Secret\w{0,20}|Some|Optional\.of|String::from|\w{0,10}\.?String)\()?(?:""(?="[^"])|''(?='[^']))?(?=["'`])/y;
/** Only this much of a value is classified; the rest still belongs to it. */
const MAX_VALUE_CHARS = 300;
const QUOTE = /["'`]/;
const IN_QUOTES = /[^"'`\r\n]{0,300}/y;
const BARE = /[^\s"'`,;<>(){}[\]\\|&]{1,300}/y;
const SCHEME_WORD = /(?:Bearer|Basic|Token|Api-?Key|Bot|Digest|GenieKey|SSWS|OAuth|JWT|Key)[ \t]{1,4}(?=[^\s"'])/iy;
const REST_OF_LINE = /\S{1,300}(?=[ \t]{0,20}(?:\r?\n|$))/y;

/** A plan of Terraform shows the old value and the new one: `"x" -> "y"`. */
const CHANGED = /["'][ ]->[ ](?=["'])/y;

function valuesAfter(text: string, name: Name): readonly Value[] {
  const value = valueAfter(text, name);
  if (value === null) return [];
  CHANGED.lastIndex = value.start + value.text.length;
  const changed = CHANGED.test(text) ? quotedValue(text, CHANGED.lastIndex, value.form) : null;
  return changed === null ? [value] : [value, changed];
}

function valueAfter(text: string, name: Name): Value | null {
  const sign = signAfter(text, name);
  if (sign === null) return null;
  BEFORE_STRING.lastIndex = sign.at;
  const at = BEFORE_STRING.test(text) ? BEFORE_STRING.lastIndex : sign.at;
  const quote = text.charAt(at);
  if (QUOTE.test(quote)) return quotedValue(text, at, sign.form ?? 'quoted');
  const start = skipScheme(text, at);
  const isLine = isLineOfItsOwn(text, name.start);
  const spaced = isLine && classifyName(name.text) === 'password' ? spacedValueAt(text, name.start, start) : null;
  if (spaced !== null) return { start, text: spaced, form: 'literal' };
  if (sign.form === 'literal' && isLine) {
    REST_OF_LINE.lastIndex = start;
    const rest = REST_OF_LINE.exec(text)?.[0];
    // `password=$PASSWORD&user=$USER`
    const isVariable = rest !== undefined && /^\$\w+&/.test(rest);
    if (rest !== undefined && !isVariable && !/["'`]/.test(rest)) return { start, text: rest, form: 'literal' };
  }
  BARE.lastIndex = start;
  const bare = isLine ? (strongLineAt(text, start) ?? BARE.exec(text)?.[0]) : BARE.exec(text)?.[0];
  if (bare === undefined) return null;
  const next = text.charAt(start + bare.length);
  if (/[([{]/.test(next) && !bare.startsWith('$')) return null;
  // `$self->{pass}` of Perl and PHP.
  if (bare.startsWith('$') && text.startsWith('->', start + bare.length - 1)) return null;
  // `a.b,` and `a.b;` are code, whatever the name.
  const isMember = /^[A-Za-z_$]\w*(?:\.[A-Za-z_$]\w*)+$/.test(bare) && /[,;)}]/.test(next);
  return { start, text: bare.replace(/[.:]$/, ''), form: isMember ? 'bare' : (sign.form ?? 'bare') };
}

const MIXED_LINE =
  /(?=\S{0,99}[A-Za-z])(?=\S{0,99}\d)(?=\S{0,99}[@#!%^*?~])[^\s"'`,;<>(){}[\]\\$=]{8,100}(?=[ \t]{0,20}(?:\r?\n|$))/y;

/** `password: p@ss&w0rd#9!`: letters, digits and symbols up to the end of the line, with `&` or `|` among them. */
function strongLineAt(text: string, start: number): string | undefined {
  MIXED_LINE.lastIndex = start;
  const line = MIXED_LINE.exec(text)?.[0];
  return line !== undefined && /[&|]/.test(line) ? line : undefined;
}

/** How a value that ends before a special character continues, by what surrounds it. */
const MORE = /[^\s"'`,;<>(){}[\]\\|&]*/y;
const MORE_OF_ELEMENT = /[^<>\s]{0,500}(?=<\/)/y;
const MORE_OF_CONNECTION = /[^\s"'`;<>]{0,300}(?=[;"']|\s|$)/y;
/** A shell word in which special characters are escaped. */
const MORE_OF_WORD = /(?:\\[&|;<>()$!*#? ][^\s"'`,;<>(){}[\]\\|&]{0,300}){1,20}/y;

function endOfValue(text: string, name: Name, value: Value): number {
  const end = value.start + value.text.length;
  const before = text.slice(Math.max(0, name.start - 120), name.start);
  const from = (pattern: RegExp) => {
    pattern.lastIndex = end;
    return pattern.test(text) ? pattern.lastIndex : end;
  };
  if (before.endsWith('<') && text.charAt(name.end) === '>') return from(MORE_OF_ELEMENT);
  if (/;[ ]{0,2}$/.test(before) && CONNECTION.test(before)) return from(MORE_OF_CONNECTION);
  if (text.charAt(end) === '\\') return from(MORE_OF_WORD);
  return value.text.length < MAX_VALUE_CHARS ? end : from(MORE);
}

function skipScheme(text: string, at: number): number {
  SCHEME_WORD.lastIndex = at;
  return SCHEME_WORD.test(text) ? SCHEME_WORD.lastIndex : at;
}

/** A missing closing quote means that the text was truncated; then the value ends with the word. */
function quotedValue(text: string, at: number, form: Form): Value | null {
  const quote = text.charAt(at);
  const near = text.slice(at + 1, at + 1 + MAX_VALUE_CHARS);
  const close = at + 1 + closingQuote(near, quote, text.charAt(at - 1) === '\\');
  IN_QUOTES.lastIndex = at + 1;
  IN_QUOTES.test(text);
  const isClosed = close > at && !/[\r\n]/.test(text.slice(at, close));
  const start = skipScheme(text, at + 1);
  const value = text.slice(start, isClosed ? close : IN_QUOTES.lastIndex);
  const isWord = !/\s/.test(value);
  if (isWord && quote === "'" && form === 'literal')
    return { start, text: value, form, literal: value.replace(/^\$/, 'S') };
  if (isWord || (isClosed && isPhrase(value))) return { start, text: value, form };
  if (isClosed && form === 'literal') return { start, text: value, form };
  return isClosed ? null : { start, text: value.split(/\s/, 1)[0] ?? '', form };
}

/** An escaped quote does not close, unless the opening one is escaped as well or no other quote follows. */
function closingQuote(near: string, quote: string, isEscaped: boolean): number {
  const first = near.indexOf(quote);
  if (isEscaped) return first;
  let close = first;
  while (close > 0 && near.charAt(close - 1) === '\\') close = near.indexOf(quote, close + 1);
  return close === -1 ? first : close;
}

const MAX_PHRASE_WORDS = 6;

/** A few words with a number, which a sentence about passwords does not have. */
function isPhrase(value: string): boolean {
  if (isPassphrase(value)) return true;
  return /\d/.test(value) && value.split(/\s+/).length <= MAX_PHRASE_WORDS && !/\bpass|[.:?!]$|[()]/.test(value);
}
