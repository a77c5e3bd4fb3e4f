import { type Assertion, type CharSet, isWordUnit, type Regex, RegexError, tableOf } from './parse-regex.ts';

/**
 * Thompson's algorithm: all threads of the pattern advance through the text together, so the time is always bounded by
 * text length times pattern size. JavaScript's own engine can take exponential time on `(a+)+$`.
 */
type Step =
  | { readonly op: 'unit'; readonly table: Uint8Array }
  | { readonly op: 'assert'; readonly what: Assertion }
  | { readonly op: 'split'; readonly to: readonly number[] }
  | { readonly op: 'match' };

interface RegexProgram {
  readonly steps: readonly Step[];
  /** Units that can start a match. */
  readonly starts: Uint8Array;
}

const MAX_STEPS = 2_000;

/** Throws a RegexError when the pattern is too large. */
export function compileRegex(regex: Regex, isCaseSensitive: boolean): RegexProgram {
  const steps: Step[] = [];
  const tables = new Map<string, Uint8Array>();
  emit(regex, steps, (set) => {
    const key = JSON.stringify(set);
    const table = tables.get(key) ?? tableOf(set, isCaseSensitive);
    tables.set(key, table);
    return table;
  });
  steps.push({ op: 'match' });
  return { steps, starts: startsOf(steps) };
}

function emit(regex: Regex, steps: Step[], tableFor: (set: CharSet) => Uint8Array): void {
  if (steps.length > MAX_STEPS) throw new RegexError(0, 'the pattern is too large');
  const sub = (item: Regex) => emit(item, steps, tableFor);
  if (regex.kind === 'set') steps.push({ op: 'unit', table: tableFor(regex.set) });
  else if (regex.kind === 'assert') steps.push({ op: 'assert', what: regex.what });
  else if (regex.kind === 'sequence') for (const item of regex.items) sub(item);
  else if (regex.kind === 'choice') emitChoice(regex.items, steps, sub);
  else emitRepeat(regex, steps, sub);
}

function emitChoice(items: readonly Regex[], steps: Step[], sub: (item: Regex) => void): void {
  const ends: number[] = [];
  for (const [index, item] of items.entries()) {
    const fork = steps.length;
    if (index < items.length - 1) steps.push({ op: 'split', to: [] });
    sub(item);
    if (index === items.length - 1) break;
    ends.push(steps.length);
    steps.push({ op: 'split', to: [] });
    steps[fork] = { op: 'split', to: [fork + 1, steps.length] };
  }
  for (const end of ends) steps[end] = { op: 'split', to: [steps.length] };
}

function emitRepeat(
  { item, min, max }: Extract<Regex, { kind: 'repeat' }>,
  steps: Step[],
  sub: (item: Regex) => void,
): void {
  for (let count = 0; count < min; count++) {
    const before = steps.length;
    sub(item);
    // An empty item is not repeated: `(((){99}){99}){99}` would take forever without adding a step.
    if (steps.length === before) return;
  }
  const forks: number[] = [];
  for (let count = min; count < (max ?? min + 1); count++) {
    forks.push(steps.length);
    steps.push({ op: 'split', to: [] });
    sub(item);
  }
  if (max === null) steps.push({ op: 'split', to: [forks[0] ?? 0] });
  for (const fork of forks) steps[fork] = { op: 'split', to: [fork + 1, steps.length] };
}

function startsOf(steps: readonly Step[]): Uint8Array {
  const starts = new Uint8Array(0x1_0000);
  const seen = new Set<number>();
  const walk = (at: number) => {
    const step = steps[at];
    if (step === undefined || seen.has(at)) return;
    seen.add(at);
    if (step.op === 'unit') for (let unit = 0; unit < starts.length; unit++) starts[unit]! |= step.table[unit] ?? 0;
    if (step.op === 'split') for (const to of step.to) walk(to);
    if (step.op === 'assert') walk(at + 1);
  };
  walk(0);
  return starts;
}

export interface Span {
  readonly from: number;
  readonly to: number;
}

/** The first `limit` matches: leftmost, then longest. Empty matches are ignored. */
export function findRegex(program: RegexProgram, text: string, limit: number): Span[] {
  const spans: Span[] = [];
  for (let from = 0; spans.length < limit; ) {
    const span = new Walk(program, text).findFrom(from);
    if (span === null) break;
    spans.push(span);
    from = span.to;
  }
  return spans;
}

class Walk {
  readonly #program: RegexProgram;
  readonly #text: string;
  /** Steps that wait for a unit, with the start of their thread; earlier threads first. */
  #threads: number[] = [];
  #begins: number[] = [];
  readonly #lastSeen: Int32Array;
  #best: Span | null = null;

  constructor(program: RegexProgram, text: string) {
    this.#program = program;
    this.#text = text;
    this.#lastSeen = new Int32Array(program.steps.length).fill(-1);
  }

  findFrom(from: number): Span | null {
    for (let at = from; ; at++) {
      if (this.#threads.length === 0) {
        if (this.#best !== null) return this.#best;
        while (at < this.#text.length && this.#program.starts[this.#text.charCodeAt(at)] === 0) at++;
      }
      if (this.#best === null && at < this.#text.length) this.#follow(0, at, at);
      if (at >= this.#text.length) return this.#best;
      this.#step(at);
    }
  }

  #step(at: number): void {
    const unit = this.#text.charCodeAt(at);
    const [threads, begins] = [this.#threads, this.#begins];
    this.#threads = [];
    this.#begins = [];
    for (const [index, thread] of threads.entries()) {
      const step = this.#program.steps[thread];
      const begin = begins[index] ?? 0;
      if (this.#best !== null && begin > this.#best.from) continue;
      if (step?.op === 'unit' && step.table[unit] === 1) this.#follow(thread + 1, begin, at + 1);
    }
  }

  /** Adds all steps reachable without consuming a unit. */
  #follow(start: number, begin: number, at: number): void {
    const stack = [start];
    for (let pc = stack.pop(); pc !== undefined; pc = stack.pop()) {
      const step = this.#program.steps[pc];
      if (step === undefined || this.#lastSeen[pc] === at) continue;
      this.#lastSeen[pc] = at;
      if (step.op === 'split') stack.push(...step.to.toReversed());
      else if (step.op === 'assert') {
        if (holds(step.what, this.#text, at)) stack.push(pc + 1);
      } else if (step.op === 'match') this.#note(begin, at);
      else {
        this.#threads.push(pc);
        this.#begins.push(begin);
      }
    }
  }

  #note(from: number, to: number): void {
    if (to === from) return;
    if (this.#best === null || from < this.#best.from || (from === this.#best.from && to > this.#best.to)) {
      this.#best = { from, to };
    }
  }
}

const LINE_FEED = 10;

function holds(what: Assertion, text: string, at: number): boolean {
  if (what === 'line start') return at === 0 || text.charCodeAt(at - 1) === LINE_FEED;
  if (what === 'line end') return at === text.length || text.charCodeAt(at) === LINE_FEED;
  const isEdge = isWordUnit(text.charCodeAt(at - 1)) !== isWordUnit(text.charCodeAt(at));
  return (what === 'word edge') === isEdge;
}
