import type { Replace } from './replace.ts';

/** Names that are given secrets, and how sure the name alone makes us. */
const NAME =
  /passw(?:or)?d|passphrase|\bpwd|secret|token|credential|(?:api|access|private|encryption|signing|auth)[ _-]?key|[a-z0-9][_-]key\b|connection[_-]?string/gi;
/** The rest of the name, the sign, and the quote; also where JSON stands in JSON, and where Markdown makes the name bold. */
const SIGN = /[\w.-]{0,40}(?:\\{0,3}["'`])?\]?\*{0,3}\s{0,3}(?:=>|:=|=(?!=)|:(?!:))\*{0,3}\s{0,3}\*{0,3}/y;
/** `--password value`, `-Dtoken=…` is a sign as well. */
const FLAG_GAP = /[\w-]{0,20}[ =]/y;
const QUOTED = /(\\{0,3}["'`])([^"'`\s\\]{4,500})\1/y;
const BARE = /[^\s"'`,;<>(){}[\]\\|&]{6,500}/y;

const MIN_ENTROPY_BITS = 3;
const MIN_BARE_CHARS = 8;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const HEX = /^(?:0x)?[0-9a-f]+$/i;
/** Values that only stand for one: variables, examples, types, code. */
const STAND_IN =
  /^(?:\[secret:|\$|%|@|\*|x{3,}|your|my[-_]|the[-_]|example|changeme|placeholder|redacted|dummy|fake|test|null|undefined|none|true|false|string|number|process\.|os\.|env\.|import|await|self\.|this\.|config\.|https?:|\/|~|\.\/)/i;
const CODE = /^[A-Za-z_]\w*(?:[.?!:][A-Za-z_]\w*)*[;,]?$/;
const MIN_RANDOM_CHARS = 16;
const MIN_RANDOM_DIGITS = 2;

/** `NAME=value`, `"name": "value"`, `--name value`, where the name says that the value is secret and it looks so. */
export const replaceAssignments: Replace = (text, found) => {
  let result = '';
  let from = 0;
  NAME.lastIndex = 0;
  for (let name = NAME.exec(text); name !== null; name = NAME.exec(text)) {
    const value = valueAfter(text, NAME.lastIndex, isFlag(text, name.index));
    if (value === null || !isSecret(name[0].toLowerCase(), value.text, value.isQuoted)) continue;
    result += text.slice(from, value.start) + found(kindOf(name[0].toLowerCase()));
    from = value.start + value.text.length;
    NAME.lastIndex = from;
  }
  return from === 0 ? text : result + text.slice(from);
};

interface Value {
  readonly start: number;
  readonly text: string;
  readonly isQuoted: boolean;
}

const MAX_FLAG_CHARS = 30;

/** The name stands in an option of a command line, such as `--db-password`. */
function isFlag(text: string, at: number): boolean {
  return /(?:^|\s)--?[\w-]{0,30}$/.test(text.slice(Math.max(0, at - MAX_FLAG_CHARS), at));
}

function valueAfter(text: string, at: number, isFlag: boolean): Value | null {
  SIGN.lastIndex = at;
  const sign = SIGN.test(text) ? SIGN : isFlag ? afterGap(text, at) : null;
  if (sign === null) return null;
  const start = sign.lastIndex;
  QUOTED.lastIndex = start;
  const quoted = QUOTED.exec(text);
  if (quoted !== null) return { start: start + (quoted[1] ?? '').length, text: quoted[2] ?? '', isQuoted: true };
  BARE.lastIndex = start;
  const bare = BARE.exec(text);
  return bare === null ? null : { start, text: bare[0], isQuoted: false };
}

function afterGap(text: string, at: number): RegExp | null {
  FLAG_GAP.lastIndex = at;
  return FLAG_GAP.test(text) ? FLAG_GAP : null;
}

function kindOf(name: string): string {
  if (name.startsWith('pass') || name.endsWith('pwd')) return 'password';
  return name === 'token' ? 'token' : 'assigned-secret';
}

function isSecret(name: string, value: string, isQuoted: boolean): boolean {
  if (STAND_IN.test(value)) return false;
  if (kindOf(name) === 'password') return isPassword(value, isQuoted);
  if (value.length < MIN_BARE_CHARS || isCode(value) || UUID.test(value) || !isMixed(value)) return false;
  if (/[_-]key$/.test(name) && !/^(?:api|access|private|encryption|signing|auth)/.test(name) && HEX.test(value)) {
    return false;
  }
  return entropyBits(value) >= MIN_ENTROPY_BITS;
}

/** People choose short ones, so a quoted one needs no digits; a bare word may be a type or a variable. */
function isPassword(value: string, isQuoted: boolean): boolean {
  if (isQuoted) return !/^[\w.]*(?:password|passwd)[\w.]*$/i.test(value);
  return !isCode(value) || (/\d/.test(value) && value.length >= MIN_BARE_CHARS);
}

/** A name of something; a long one with several digits is rather a random one. */
function isCode(value: string): boolean {
  if (!CODE.test(value)) return false;
  return value.length < MIN_RANDOM_CHARS || (value.match(/\d/g)?.length ?? 0) < MIN_RANDOM_DIGITS;
}

function isMixed(value: string): boolean {
  return /\d/.test(value) && /[A-Za-z]/.test(value);
}

/** Shannon entropy per character. */
export function entropyBits(text: string): number {
  const counts = new Map<string, number>();
  for (const char of text) counts.set(char, (counts.get(char) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}
