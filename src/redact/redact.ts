import process from 'node:process';
import type { JsonValue } from '../domain/transcript.ts';
import { replaceAssignments } from './assignments.ts';
import { replaceEncoded } from './encoded.ts';
import { createOwnPattern } from './own-patterns.ts';
import { replacePrivateKeys } from './private-keys.ts';
import { type Found, placeholder, type Replace } from './replace.ts';
import { FORM_RULES, type FormRule } from './rules.ts';

export interface RedactorOptions {
  /** Home directories that become `~`, whatever they look like; the usual ones are known. */
  readonly homes?: readonly string[];
  /** Texts of the person's own that never leave; `*` stands for anything but spaces. */
  readonly patterns?: readonly string[];
  /** Milliseconds that never jump: of the processor where they are known, so that a busy machine withholds nothing. */
  readonly nowMs?: () => number;
}

export interface Redacted<T> {
  readonly value: T;
  /** How many of each kind were replaced. */
  readonly replaced: ReadonlyMap<string, number>;
}

/** The one door for everything that leaves the machine. */
export interface Redactor {
  text(text: string): Redacted<string>;
  /** The same for every string in a JSON value, keys included; its shape stays. */
  json(value: JsonValue): Redacted<JsonValue>;
}

/** J6: so long a text may be searched, and so much longer for each million characters of it. */
const BUDGET_MS = 200;
const BUDGET_MS_PER_MILLION = 200;
/** Below this no rule can take long, and to ask for the time would take longer than to search. */
const MIN_TIMED_CHARS = 4_096;
const UNSCANNED = 'unscanned';
/** What was not searched to its end does not leave. */
const WITHHELD = '[withheld: it could not be searched for secrets in time]';

/** A replaced secret may lay bare a word boundary that makes its neighbour one; this many times it is looked again. */
const MAX_PASSES = 4;

/** Errors: bad_config for a pattern that would fit everything. */
export function createRedactor({ homes = [], patterns = [], nowMs = processorMs }: RedactorOptions = {}): Redactor {
  const replaces: readonly Replace[] = [
    ...patterns.map(createOwnPattern),
    replacePrivateKeys,
    ...FORM_RULES.map(createFormReplace),
    replaceEncoded,
    replaceAssignments,
    createHomeReplace(homes),
  ];
  const run = (text: string, counts: Map<string, number>) => redactText(text, replaces, { counts, nowMs });
  return {
    text: (text) => {
      const counts = new Map<string, number>();
      return { value: run(text, counts), replaced: counts };
    },
    json: (value) => {
      const counts = new Map<string, number>();
      return { value: redactJson(value, (text) => run(text, counts)), replaced: counts };
    },
  };
}

/** Null where this Node.js does not tell the time of a thread. */
const threadUsage = process.threadCpuUsage as typeof process.cpuUsage | undefined;

function processorMs(): number {
  if (threadUsage === undefined) return performance.now();
  const { user, system } = threadUsage.call(process);
  return (user + system) / 1_000;
}

interface Run {
  readonly counts: Map<string, number>;
  readonly nowMs: () => number;
}

function redactText(text: string, replaces: readonly Replace[], { counts, nowMs }: Run): string {
  const isTimed = text.length >= MIN_TIMED_CHARS;
  const untilMs = isTimed ? nowMs() + BUDGET_MS + (text.length / 1_000_000) * BUDGET_MS_PER_MILLION : 0;
  const count = (kind: string) => void counts.set(kind, (counts.get(kind) ?? 0) + 1);
  const found: Found = (kind) => {
    count(kind);
    return kind === HOME ? '~' : placeholder(kind);
  };
  let current = text;
  for (let pass = 0; pass < MAX_PASSES; pass++) {
    const before = current;
    for (const replace of replaces) {
      current = replace(current, found);
      if (!isTimed || nowMs() <= untilMs) continue;
      count(UNSCANNED);
      return WITHHELD;
    }
    if (current === before) break;
  }
  return current;
}

function createFormReplace({ kind, hints, pattern }: FormRule): Replace {
  return (text, found) => (hints.some((hint) => text.includes(hint)) ? text.replace(pattern, () => found(kind)) : text);
}

const HOME = 'home-directory';
const USUAL_HOMES =
  /(?<![\w.~-])(?:\/(?:Users|home)\/(?!Shared\b)[\w.-]{1,64}|[A-Za-z]:(?:\\{1,2}|\/)Users(?:\\{1,2}|\/)[\w.-]{1,64})(?![\w.-])/g;

function createHomeReplace(homes: readonly string[]): Replace {
  const known = homes.filter((home) => home.length > 1).toSorted((a, b) => b.length - a.length);
  return (text, found) => {
    const named = known.reduce((before, home) => replacePath(before, home, found), text);
    return named.replace(USUAL_HOMES, () => found(HOME));
  };
}

/** `/root` is a home, `/rootfs` is not. */
function replacePath(text: string, home: string, found: Found): string {
  let result = '';
  let from = 0;
  for (let at = text.indexOf(home); at >= 0; at = text.indexOf(home, at + home.length)) {
    const isWhole = !/[\w.~-]/.test(text.charAt(at - 1)) && !/[\w.-]/.test(text.charAt(at + home.length));
    if (!isWhole) continue;
    result += text.slice(from, at) + found(HOME);
    from = at + home.length;
  }
  return result + text.slice(from);
}

const MAX_DEPTH = 200;
const TOO_DEEP = '[nested too deep to be searched for secrets]';

function redactJson(value: JsonValue, run: (text: string) => string, depth = 0): JsonValue {
  if (typeof value === 'string') return run(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= MAX_DEPTH) return TOO_DEEP;
  if (Array.isArray(value)) return value.map((item: JsonValue) => redactJson(item, run, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [run(key), redactNamed(key, item, run, depth + 1)]),
  );
}

/** In JSON the name of a secret is a key: the value is looked at together with it. */
function redactNamed(key: string, value: JsonValue, run: (text: string) => string, depth: number): JsonValue {
  if (typeof value !== 'string' || /[="'\s]/.test(key) || /\s/.test(value)) return redactJson(value, run, depth);
  const head = `${key}="`;
  const pair = run(`${head}${value}"`);
  return pair.startsWith(head) && pair.endsWith('"') ? pair.slice(head.length, -1) : run(value);
}
