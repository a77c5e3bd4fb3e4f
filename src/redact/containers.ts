import { type Detect, GUTTER } from './detect.ts';
import { classifyName } from './names.ts';
import { isStrongPassword } from './nearby.ts';
import { isRandomValue, isStandIn } from './values.ts';
import { isJumble } from './vendor-format.ts';

const KIND_SECRET = /\bkind["']?[ \t]{0,4}:[ \t]{0,4}["']?Secret\b/;
const DATA = new RegExp(String.raw`^(${GUTTER})["']?(?:stringData|data)["']?:[ \t]{0,4}\{?[ \t]{0,4}\r?$`, 'gm');
const DATA_LINE = new RegExp(
  String.raw`^(${GUTTER}["']?[\w.-]{1,253}["']?:[ \t]{0,4}["']?)([^\s"',{}|>]{1,100000})["']?,?[ \t]{0,4}\r?$`,
);
const DATA_INLINE = /["']?(?:stringData|data)["']?:[ \t]{0,2}\{([^{}]{1,100000})\}/g;
const INLINE_PAIR = /["']?[\w.-]{1,253}["']?:[ \t]{0,2}["']?([^\s"',{}]{3,100000})/g;

/** Finds the values below `data` of a Kubernetes `Secret`, whatever their names. */
export const detectKubernetesSecrets: Detect = (text, report) => {
  if (!text.includes('Secret') || !KIND_SECRET.test(text)) return;
  for (const section of text.matchAll(DATA)) {
    let at = section.index + section[0].length + 1;
    for (const line of linesFrom(text, at)) {
      const pair = DATA_LINE.exec(line);
      if (pair === null || indentOf(line) <= indentOf(section[0])) break;
      const [, before = '', value = ''] = pair;
      if (value.length >= 3 && !isStandIn(value))
        report('assigned-secret', at + before.length, at + before.length + value.length);
      at += line.length + 1;
    }
  }
  for (const section of text.matchAll(DATA_INLINE)) {
    const from = section.index + section[0].indexOf('{') + 1;
    for (const pair of (section[1] ?? '').matchAll(INLINE_PAIR)) {
      const value = pair[1] ?? '';
      const end = from + pair.index + pair[0].length;
      if (!isStandIn(value)) report('assigned-secret', end - value.length, end);
    }
  }
};

function* linesFrom(text: string, from: number): Generator<string> {
  let at = from;
  while (at < text.length) {
    const end = text.indexOf('\n', at);
    yield text.slice(at, end < 0 ? text.length : end);
    if (end < 0) return;
    at = end + 1;
  }
}

const NUMBERED = /^[ \t]{0,80}(?:[\w./-]{1,120}[:-])?\d{1,7}(?:[→\t:-]|[ ]{0,2}[|│])/;

/** The indentation of a line without the prefix a tool added to it. */
function indentOf(line: string): number {
  const bare = line.replace(NUMBERED, '').replace(/^[+>|-]/, '');
  return bare.length - bare.trimStart().length;
}

const PLURAL =
  /(?:[kK]ey|KEY|[tT]oken|TOKEN|[sS]ecret|SECRET|[pP]assword|PASSWORD|[cC]redential|CREDENTIAL|[cC]ookie)[sS](?=["']?[ \t]{0,8}(?::|=>?)[ \t]{0,4}(?:[[{(]|\r?\n))/g;
const WORDS_BEFORE = /[\w.-]{0,40}$/;
const INLINE = /["']?[ \t]{0,8}(?::|=>?)[ \t]{0,4}[[{(]([^\])}]{1,2000})/y;
const ITEM = /(?<=[\s"'\x60,:=[({])[A-Za-z0-9][^\s"'\x60,;()[\]{}]{7,300}(?=["'\x60,;\s)\]}]|$)/g;
const BLOCK_ITEM =
  /^[^\n]{0,80}?(?:-[ \t]{1,4}|["']?[\w.-]{1,80}["']?:[ \t]{1,4})["']?([^\s"',{}]{8,300})["']?,?[ \t\r]{0,8}$/;
const MAX_LINES = 50;
const MAX_LINE_CHARS = 200;

/** Finds the items of `api_keys = ["x", "y"]` and `tokens: { prod: "x" }`, and of the lists of a YAML file. */
export const detectContainers: Detect = (text, report) => {
  for (const { 0: plural, index } of text.matchAll(PLURAL)) {
    const before = WORDS_BEFORE.exec(text.slice(Math.max(0, index - 40), index))?.[0] ?? '';
    if (text.charAt(index - before.length - 1) === '/') continue;
    const name = before + plural.slice(0, -1);
    const check = (value: string, start: number) => {
      if (isItem(name, value)) report(/password/i.test(name) ? 'password' : 'token', start, start + value.length);
    };
    INLINE.lastIndex = index + plural.length;
    const inline = INLINE.exec(text);
    if (inline !== null) {
      const from = INLINE.lastIndex - (inline[1] ?? '').length;
      for (const item of ` ${inline[1]}`.matchAll(ITEM)) check(item[0], from + item.index - 1);
      continue;
    }
    const line = text.slice(Math.max(0, index - MAX_LINE_CHARS), index);
    const indent = indentOf(line.slice(line.lastIndexOf('\n') + 1));
    let at = index + text.slice(index, index + MAX_LINE_CHARS).indexOf('\n') + 1;
    for (const line of linesFrom(text, at)) {
      const value = BLOCK_ITEM.exec(line)?.[1];
      if (at - index > MAX_LINES * MAX_LINE_CHARS || value === undefined || indentOf(line) < indent) break;
      check(value, at + line.lastIndexOf(value));
      at += line.length + 1;
    }
  }
};

/** Only its container names it, so it must not resemble a word or a checksum. */
function isItem(name: string, value: string): boolean {
  if (/password|credential/i.test(name)) return isStrongPassword(value);
  if (!isRandomValue(value, 'bare') || /^sha\d/.test(value)) return false;
  return isJumble(value) && (!/^[0-9a-f]+$/.test(value) || classifyName(name) === 'key');
}
