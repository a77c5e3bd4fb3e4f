import process from 'node:process';
import type { JsonValue } from '../domain/transcript.ts';
import { type Detect, findSpans, mergeSpans, placeholder, replaceSpans, type Span } from './detect.ts';
import { DETECTORS } from './detectors.ts';
import { detectHomes, HOME } from './homes.ts';
import { createOwnPattern } from './own-patterns.ts';
import { type JsonRun, redactJson } from './redact-json.ts';
import { decodedViews } from './view.ts';

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
const BUDGET_MS = 400;
const BUDGET_MS_PER_MILLION = 1_000;
/** Below this no rule can take long, and to ask for the time would take longer than to search. */
const MIN_TIMED_CHARS = 4_096;
const UNSCANNED = 'unscanned';
/** What was not searched to its end does not leave. */
const WITHHELD = '[withheld: it could not be searched for secrets in time]';

/** A replaced secret may lay bare a word boundary that makes its neighbour one; this many times it is looked again. */
const MAX_PASSES = 4;

/** Errors: bad_config for a pattern that would fit everything. */
export function createRedactor({ homes = [], patterns = [], nowMs = processorMs }: RedactorOptions = {}): Redactor {
  const detectors = [...patterns.map(createOwnPattern), ...DETECTORS];
  const home = detectHomes(homes);
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

/** Null where this Node.js does not tell the time of a thread. */
const threadUsage = process.threadCpuUsage as typeof process.cpuUsage | undefined;

function processorMs(): number {
  if (threadUsage === undefined) return performance.now();
  const { user, system } = threadUsage.call(process);
  return (user + system) / 1_000;
}

interface Run {
  readonly detectors: readonly Detect[];
  readonly home: Detect;
  /** Counts a find and gives what stands in its place. */
  readonly replace: (kind: string) => string;
  readonly nowMs: () => number;
}

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

/** The detectors, each of which first looks at the clock. */
function withLimit(detectors: readonly Detect[], chars: number, nowMs: () => number): readonly Detect[] {
  const untilMs = nowMs() + BUDGET_MS + (chars / 1_000_000) * BUDGET_MS_PER_MILLION;
  const ensureTime: Detect = () => {
    if (nowMs() > untilMs) throw new OutOfTime();
  };
  return detectors.flatMap((detect) => [detect, ensureTime]);
}

/** Secrets in the text as it stands, and in what a reader would see. */
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
