import { createAnchorScan, type Detect, GUTTER } from './detect.ts';
import { spacedValueAt } from './secret-files.ts';
import { classifyName, NAME_STEMS, secretKind } from './names.ts';
import type { Form } from './values.ts';

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
    if (isPlaceholder(text, name)) return name.end;
    const value = classifyName(name.text) === null ? null : valueAfter(text, name);
    const kind = value === null ? null : secretKind(name.text, value.literal ?? value.text, value.form);
    if (value === null || kind === null || isSample(text, name, value)) return name.end;
    const end = endOfValue(text, value);
    report(kind, value.start, end);
    return Math.max(name.end, end);
  });
};

interface Name {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

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
  const both = `${first ?? ''}${name}`;
  return { text: classifyName(both) === 'key' ? both : name, start, end };
}

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

interface Value {
  readonly start: number;
  readonly text: string;
  /** The value to classify when a special character in it has no meaning, such as a dollar sign in single quotes. */
  readonly literal?: string;
  readonly form: Form;
}

/** Characters allowed between a name and its sign: a closing quote, bracket or bold mark. */
const NAME_END = /["'`]?\]?["'`]?[?!]?\*{0,3}/y;
const SIGN =
  /[ \t]{0,8}(?::[ \t]{0,3}[A-Za-z_][\w.<>[\]]{0,40}[ \t]{0,3}=(?![=>])|=>|:=|\+=|=(?!=)|:-(?=[^\s])|:(?!:))(?:[ \t]{0,3}[|>]-?\r?\n[ \t]{1,40}|[ \t]{0,8})\*{0,3}[ \t]?/y;
/** `key="NAME" value="x"`, `"name": "NAME", "value": "x"`, `- name: NAME` with `value: x` on the next line. */
const PAIR =
  /["']?[ \t]{0,4}[,;]?[\s\d→|+-]{0,60}["']?(?:value|val|content|defaultValue)["']?[ \t]{0,4}[:=][ \t]{0,4}/y;
/** `gh secret set NAME --body x`. */
const BODY = /["']?[ \t]{1,4}(?:--body|-b|--value|--plaintext|--secret-string)[ =]{0,2}/y;
const ELEMENT = />(?=[^<>\s]{1,500}<\/)/y;
const ARGUMENT = /["'][ \t]{0,4},[ \t]{0,20}(?=[brf]?["'])/y;
const SETTER =
  /(?:define|setenv|putenv|set|put|add|append|get|getenv|env|header|setHeader|setRequestHeader|setProperty|setItem|config)\([ \t]{0,4}["']$/i;
const GAP = /(?:[ \t]{1,4}|[ \t]{0,2}\\?\r?\n[ \t]{1,40})(?!-)/y;
/** `aws ssm put-parameter --name /shop/password --value x`. */
const NAMED = /--(?:name|secret-id|key)[ =]["']?[\w/.-]{0,100}$/;
const VERB =
  /(?:^|[\s"'`;&|])(?:setx|setenv|ENV|ARG|set -\w{1,3}|git config|config create \S{1,40} \S{1,40}|(?:configure|config|(?:user-)?secrets?|variable|env|vars?) (?:set|add|put|create))[ \t]{1,4}(?:--?[\w-]{1,20}[ \t]{1,4})?["']?(?:\/\/\S{0,100}:|(?:[\w.]{1,60}:){1,4})?$/i;
const SPOKEN = /[ \t](?:is|was)(?::|[ \t]now)?[ \t]{1,3}/y;
/** "set X to Y". */
const SET_TO = /[ \t]to[ \t]{1,3}/y;
const SET = /\b(?:set|change|changed|reset|rotate|rotated|update|updated)\b[^\n.]{0,60}$/i;
/** `| NAME | value |` of a Markdown table. */
const CELL = /["'`]?[ \t]{0,20}\|[ \t]{0,20}["'`]?(?=[^\s|])/y;
/** `setPassword("x")`, `.password("x")`. */
const CALL = /\([ \t]{0,4}(?=["'])/y;

/** Finds where the value starts and whether it must be a literal. Null when no value follows. */
function signAfter(text: string, name: Name): { readonly at: number; readonly form: Form | null } | null {
  const before = text.slice(Math.max(0, name.start - 160), name.start);
  const at = (pattern: RegExp, from = name.end) => {
    pattern.lastIndex = from;
    return pattern.test(text) ? pattern.lastIndex : null;
  };
  const afterName = at(NAME_END) ?? name.end;
  const pair = at(PAIR);
  if (pair !== null) return { at: pair, form: 'literal' };
  const element = before.endsWith('<') ? at(ELEMENT) : null;
  if (element !== null) return { at: element, form: 'literal' };
  const argument = SETTER.test(before) ? at(ARGUMENT) : null;
  if (argument !== null) return { at: argument, form: null };
  const call = /(?:^|[.])(?:set[A-Z_]|with[A-Z_]|password$)/.test(name.text.replace(/^.*\./, '.')) ? at(CALL) : null;
  if (call !== null) return { at: call, form: null };
  const cell = /\|[ \t]{0,4}["'`]?$/.test(before) ? at(CELL) : null;
  if (cell !== null) return { at: cell, form: 'bare' };
  const sign = at(SIGN, afterName);
  if (sign !== null) return { at: sign, form: formOf(text, name, afterName, sign) };
  const isVerb = VERB.test(before);
  const body = isVerb || NAMED.test(before) ? at(BODY) : null;
  if (body !== null) return { at: body, form: 'literal' };
  const isNamed = /^--?[a-zA-Z]/.test(name.text) || isVerb;
  const gap = isNamed ? at(GAP, /["']/.test(text.charAt(name.end)) ? name.end + 1 : name.end) : null;
  if (gap !== null) return { at: gap, form: 'literal' };
  const spoken = at(SPOKEN, afterName) ?? (SET.test(before) ? at(SET_TO, afterName) : null);
  return spoken === null ? null : { at: spoken, form: null };
}

const UPPER_NAME = /^(?:\$env:|[+-])?[A-Z][A-Z0-9_]*$/;
const CONNECTION =
  /\b(?:server|data source|host|database|dbname|uid|user id|user|username|accountname|endpoint)=[^\s(){}]/i;
/** Options of commands that take `name=value`: `helm --set`, `terraform -var`, `curl -F`, `vault kv put`. */
const SETTING_OPTION =
  /(?:[\s"'](?:--set(?:-string)?|--form|--data(?:-\w{1,10})?|--env|--extra-vars|-[FdeoDP]|-var)[ =]?|[ ]put[ ][\w/.-]{1,80}[ ]|ansible_)["']?(?:[\w.-]{1,60}=[^\s"',]{0,80},){0,8}[\w.-]{0,60}$/;

/**
 * `NAME=value` is an environment variable; so is `name=value` on its own line, in a query or in a connection string.
 */
function formOf(text: string, name: Name, afterName: number, sign: number): Form | null {
  if (sign - afterName !== 1 || text.charAt(afterName) !== '=' || afterName !== name.end) {
    return text.startsWith(':-', afterName) || isSetting(text, name, sign) ? 'literal' : null;
  }
  const bare = name.text.replace(/^[+-]{1,2}/, '');
  if (UPPER_NAME.test(bare) || name.text.startsWith('-')) return 'literal';
  const before = text.slice(Math.max(0, name.start - 120), name.start);
  if (/(?:[?&]|^|\n)[+-]?$/.test(before) || /(?:^|\n)[^\n]{0,60}\d[→\t|:][ \t]{0,8}[+-]?$/.test(before))
    return 'literal';
  if (SETTING_OPTION.test(before)) return 'literal';
  return /[;"'\s,]\s{0,2}$/.test(before) && CONNECTION.test(before) ? 'literal' : null;
}

const SETTINGS = new RegExp(
  String.raw`(?:^|\n)${GUTTER}(?:\[[\w .:-]{1,60}\]|(?:-[ \t]{1,4})?(?:user(?:name)?|login|host|hostname|database|dbname|email)[ \t]{0,4}[=:][^,;(){}\n]{0,80})[ \t\r]{0,4}\n`,
  'i',
);
const WHOLE_VALUE = /[^\s"'`,;(){}]{1,300}(?=[ \t]{0,20}(?:\r?\n|$))/y;

/** A line of a settings file that follows a user or a section: `name = value`, `name: value`. */
function isSetting(text: string, name: Name, sign: number): boolean {
  if (!isLineOfItsOwn(text, name.start)) return false;
  WHOLE_VALUE.lastIndex = sign;
  return WHOLE_VALUE.test(text) && SETTINGS.test(text.slice(Math.max(0, name.start - 300), name.start));
}

/** The other operand of `a || "x"`, and prefixes of string literals in some languages. */
const BEFORE_STRING =
  /(?:[\w.$?()[\]]{1,80}[ \t]{0,2}(?:\|\||\?\?|\bor\b)[ \t]{0,2})?(?:[brufBRUF@]{0,2}|new[ \t])(?:Secret\w{0,20}\()?(?=["'`])/y;
/** Only this much of a value is classified; the rest still belongs to it. */
const MAX_VALUE_CHARS = 300;
const QUOTE = /["'`]/;
const IN_QUOTES = /[^"'`\r\n]{0,300}/y;
const BARE = /[^\s"'`,;<>(){}[\]\\|&]{1,300}/y;
const SCHEME_WORD = /(?:Bearer|Basic|Token|Api-?Key|Bot|Digest|GenieKey|SSWS|OAuth|JWT|Key)[ \t]{1,4}(?=[^\s"'])/iy;
const REST_OF_LINE = /\S{1,300}(?=[ \t]{0,20}(?:\r?\n|$))/y;

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
    if (rest !== undefined && !/["'`]/.test(rest)) return { start, text: rest, form: 'literal' };
  }
  BARE.lastIndex = start;
  const bare = BARE.exec(text)?.[0];
  if (bare === undefined) return null;
  const next = text.charAt(start + bare.length);
  if (/[([{]/.test(next) && !bare.startsWith('$')) return null;
  // `a.b,` and `a.b;` are code, whatever the name.
  const isMember = /^[A-Za-z_$]\w*(?:\.[A-Za-z_$]\w*)+$/.test(bare) && /[,;)}]/.test(next);
  return { start, text: bare.replace(/[.:]$/, ''), form: isMember ? 'bare' : (sign.form ?? 'bare') };
}

const MORE = /[^\s"'`,;<>(){}[\]\\|&]*/y;

function endOfValue(text: string, value: Value): number {
  const end = value.start + value.text.length;
  if (value.text.length < MAX_VALUE_CHARS) return end;
  MORE.lastIndex = end;
  MORE.test(text);
  return MORE.lastIndex;
}

const MAX_BEFORE_NAME = 200;
const LINE_START = new RegExp(String.raw`^${GUTTER}(?:export[ ]{1,4})?$|[:[,][ ]?"$|[→\t][ \t]{0,8}[+-]?(?:export )?$`);

/** A line of a file such as `.env`: only a name precedes the sign, so everything after it is the value. */
function isLineOfItsOwn(text: string, start: number): boolean {
  const from = Math.max(0, start - MAX_BEFORE_NAME);
  const before = text.slice(from, start);
  const newline = before.lastIndexOf('\n');
  if (newline >= 0 || from === 0) return LINE_START.test(before.slice(newline + 1));
  return /[→\t][ \t]{0,8}[+-]?(?:export )?$/.test(before);
}

function skipScheme(text: string, at: number): number {
  SCHEME_WORD.lastIndex = at;
  return SCHEME_WORD.test(text) ? SCHEME_WORD.lastIndex : at;
}

/** A missing closing quote means that the text was truncated; then the value ends with the word. */
function quotedValue(text: string, at: number, form: Form): Value | null {
  const quote = text.charAt(at);
  const near = text.slice(at + 1, at + 1 + MAX_VALUE_CHARS);
  const close = at + 1 + near.indexOf(quote);
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

const MAX_PHRASE_WORDS = 6;

/** A few words with a number, which a sentence about passwords does not have. */
function isPhrase(value: string): boolean {
  return /\d/.test(value) && value.split(/\s+/).length <= MAX_PHRASE_WORDS && !/\bpass|[.:?!]$|[()]/.test(value);
}
