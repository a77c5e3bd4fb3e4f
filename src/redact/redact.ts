import process from 'node:process';
import type { JsonValue } from '../domain/transcript.ts';
import { detectAssignments, detectVariables } from './assignments.ts';
import { CODE_CALLS, detectCalls } from './code-calls.ts';
import { CODES } from './codes.ts';
import { detectCopies, detectInserts, detectReversedPairs } from './columns.ts';
import { COMMAND_LINES, detectCommandOptions } from './command-lines.ts';
import { detectContainers, detectKubernetesSecrets } from './containers.ts';
import { type Detect, detectContexts, findSpans, mergeSpans, placeholder, replaceSpans, type Span } from './detect.ts';
import { detectEncoded } from './encoded.ts';
import { detectNearby } from './nearby.ts';
import { createOwnPattern, detectHomes, HOME } from './personal.ts';
import { detectPrinted } from './printed.ts';
import { detectKeyBodies, detectPrivateKeys } from './private-keys.ts';
import { detectCookies, detectDiscordTokens, PROTOCOLS } from './protocols.ts';
import { type JsonRun, redactJson } from './redact-json.ts';
import { detectJwk, detectNetrc, detectPgpass, FILE_VALUES } from './secret-files.ts';
import { detectSpokenTokens, SPOKEN } from './spoken.ts';
import { detectForeignPasswords } from './spoken-foreign.ts';
import { detectTables } from './tables.ts';
import { detectUnknownVendors } from './unknown-vendors.ts';
import { detectHostPasswords, detectUrlPasswords, detectUrlSecrets } from './urls.ts';
import { detectVendors } from './vendors.ts';
import { decodedViews } from './view.ts';

interface RedactorOptions {
  /** Home directories to replace by `~`, in addition to the usual ones; null keeps them all. */
  readonly homes?: readonly string[] | null;
  /** The user's own texts that must never leave the machine; `*` matches anything except spaces. */
  readonly patterns?: readonly string[];
  /**
   * A monotonic clock in milliseconds; CPU time where available, so that a busy machine does not cause texts to be
   * withheld.
   */
  readonly nowMs?: () => number;
}

interface Redacted<T> {
  readonly value: T;
  /** Number of replacements by kind. */
  readonly replaced: ReadonlyMap<string, number>;
}

/** Redacts everything that leaves the machine. */
export interface Redactor {
  text(text: string): Redacted<string>;
  /** Redacts every string in a JSON value, keys included; keeps its structure. */
  json(value: JsonValue): Redacted<JsonValue>;
}

/** J6: time limit for searching a text: this, and more for each million characters. */
const BUDGET_MS = 400;
const BUDGET_MS_PER_MILLION = 1_000;
/** No rule can take long on shorter texts, and reading the clock would cost more than the search. */
const MIN_TIMED_CHARS = 4_096;
const UNSCANNED = 'unscanned';
/** A text that was not searched completely must not leave the machine. */
const WITHHELD = '[removed: checking for secrets took too long]';

/**
 * Replacing a secret may expose a word boundary that makes its neighbor match, so the search repeats up to this often.
 */
const MAX_PASSES = 4;

/** Creates a redactor. Errors: bad_config for a pattern that would match everything. */
export function createRedactor({ homes = [], patterns = [], nowMs = processorMs }: RedactorOptions = {}): Redactor {
  const detectors = [...patterns.map(createOwnPattern), ...DETECTORS];
  const home = homes === null ? nothing : detectHomes(homes);
  const open = (): { run: JsonRun; counts: Map<string, number> } => {
    const counts = new Map<string, number>();
    const replace = (kind: string) => {
      counts.set(kind, (counts.get(kind) ?? 0) + 1);
      return kind === HOME ? '~' : placeholder(kind);
    };
    const text = (value: string) => redactText(value, { detectors, home, replace, nowMs });
    return { counts, run: { text, replace, spans: (value) => mergeSpans(spansOf(value, detectors)) } };
  };
  return {
    text: (text) => {
      const { run, counts } = open();
      return { value: run.text(text), replaced: counts };
    },
    json: (value) => {
      const { run, counts } = open();
      return { value: redactJson(value, run), replaced: counts };
    },
  };
}

/** Undefined in Node.js versions without CPU times per thread. */
const threadUsage = process.threadCpuUsage as typeof process.cpuUsage | undefined;

function processorMs(): number {
  if (threadUsage === undefined) return performance.now();
  const { user, system } = threadUsage.call(process);
  return (user + system) / 1_000;
}

interface Run {
  readonly detectors: readonly Detect[];
  readonly home: Detect;
  /** Counts a match and returns its replacement. */
  readonly replace: (kind: string) => string;
  readonly nowMs: () => number;
}

const nothing: Detect = () => {};

class OutOfTime extends Error {}

function redactText(text: string, { detectors, home, replace, nowMs }: Run): string {
  const timed = text.length < MIN_TIMED_CHARS ? detectors : withLimit(detectors, text.length, nowMs);
  try {
    let current = text;
    for (let pass = 0; pass < MAX_PASSES; pass++) {
      const spans = mergeSpans(spansOf(current, timed));
      if (spans.length === 0) break;
      current = replaceSpans(current, spans, replace);
    }
    return replaceSpans(current, mergeSpans(findSpans(current, [home])), replace);
  } catch (error) {
    if (!(error instanceof OutOfTime)) throw error;
    replace(UNSCANNED);
    return WITHHELD;
  }
}

/** Checks the clock after each detector. */
function withLimit(detectors: readonly Detect[], chars: number, nowMs: () => number): readonly Detect[] {
  const untilMs = nowMs() + BUDGET_MS + (chars / 1_000_000) * BUDGET_MS_PER_MILLION;
  const ensureTime: Detect = () => {
    if (nowMs() > untilMs) throw new OutOfTime();
  };
  return detectors.flatMap((detect) => [detect, ensureTime]);
}

/** Finds secrets in the raw text and in its decoded views. */
function spansOf(text: string, detectors: readonly Detect[]): readonly Span[] {
  const spans = findSpans(text, detectors);
  const seen = decodedViews(text).flatMap((view) =>
    findSpans(view.text, detectors).map((span) => ({
      ...span,
      start: view.startOf(span.start),
      end: view.endOf(span.end),
    })),
  );
  return [...spans, ...seen];
}

/** All detectors, the most certain first: it names the kind when several find the same secret. */
const PLAIN: readonly Detect[] = [
  detectPrivateKeys,
  detectKeyBodies,
  detectVendors,
  detectUnknownVendors,
  detectUrlPasswords,
  detectContexts([...PROTOCOLS, ...COMMAND_LINES, ...FILE_VALUES, ...CODES, ...CODE_CALLS, ...SPOKEN]),
  detectUrlSecrets,
  detectHostPasswords,
  detectDiscordTokens,
  detectCookies,
  detectCommandOptions,
  detectNetrc,
  detectPgpass,
  detectKubernetesSecrets,
  detectContainers,
  detectJwk,
  detectAssignments,
  detectVariables,
  detectTables,
  detectInserts,
  detectCopies,
  detectReversedPairs,
  detectCalls,
  detectPrinted,
  detectForeignPasswords,
  detectSpokenTokens,
  detectNearby,
];

/** Base64 may contain base64, as the data of a Kubernetes secret does. */
const DETECTORS: readonly Detect[] = [...PLAIN, detectEncoded([...PLAIN, detectEncoded(PLAIN)])];
