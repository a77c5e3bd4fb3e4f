import type { Routine } from '../../wasm/instance.ts';
import { LINE_AT, RESULT, RESULT_AT, TEXT_BYTES, TEXT_FLAGS, TEXTS_AT } from './layout.ts';
import type { LineMemory } from './line-memory.ts';
import type { LineRoutines } from './routines.ts';

/** Shortens the line in memory before it is parsed. What it gives is of the line condensed last. */
export class Condenser {
  textCount = 0;
  /** Some byte of the line is over 0x7f: whether it is right UTF-8 has not been looked at. */
  isHigh = false;
  readonly #memory: LineMemory;
  readonly #condense: Routine;
  readonly #unescape: Routine;

  constructor(memory: LineMemory, { condense, unescape }: LineRoutines) {
    this.#memory = memory;
    this.#condense = condense;
    this.#unescape = unescape;
  }

  /** The line without its long texts, or null when it is not fit for that. */
  condense(): string | null {
    const { lineEnd, outAt } = this.#memory;
    if (this.#condense(LINE_AT, lineEnd, outAt) === 0) return null;
    this.textCount = this.#result(RESULT.texts);
    this.isHigh = this.#result(RESULT.isAnyHigh) !== 0;
    const isKeptHigh = this.#result(RESULT.isKeptHigh) !== 0;
    return this.#memory.text(this.#result(RESULT.start), this.#result(RESULT.end), isKeptHigh);
  }

  /** A text that was set aside, or null when it has half of a surrogate pair. */
  text(index: number): string | null {
    const { words, outAt } = this.#memory;
    const at = (TEXTS_AT + index * TEXT_BYTES) / 4;
    const start = words[at] as number;
    const end = words[at + 1] as number;
    const flags = words[at + 2] as number;
    const isHigh = (flags & TEXT_FLAGS.high) !== 0;
    if ((flags & TEXT_FLAGS.escaped) === 0) return this.#memory.text(start, end, isHigh);
    words[(RESULT_AT + RESULT.isUnescapedHigh) / 4] = isHigh ? 1 : 0;
    const written = this.#unescape(start, end, outAt);
    return written === 0 ? null : this.#memory.text(outAt, written, this.#result(RESULT.isUnescapedHigh) !== 0);
  }

  #result(word: number): number {
    return this.#memory.words[(RESULT_AT + word) / 4] as number;
  }
}
