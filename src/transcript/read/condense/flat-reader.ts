import type { JsonObject } from '../../../domain/transcript.ts';
import type { Routine } from '../../wasm/instance.ts';
import { FLAT_DATA_KEYS, FLAT_SLOTS, FLAT_TYPES } from './flat-keys.ts';
import { LINE_AT, SLOT, SLOT_BYTES, SLOTS_AT } from './layout.ts';
import type { LineMemory } from './line-memory.ts';
import type { LineRoutines } from './routines.ts';

const KINDS: readonly string[] = Object.keys(FLAT_DATA_KEYS);
const numberOf = (slot: string): number => FLAT_SLOTS.indexOf(slot);
const UUID = numberOf('uuid');
const PARENT_UUID = numberOf('parentUuid');
const TIMESTAMP = numberOf('timestamp');
const SESSION_ID = numberOf('sessionId');
const VERSION = numberOf('version');
const CWD = numberOf('cwd');
const GIT_BRANCH = numberOf('gitBranch');
const SLUG = numberOf('slug');
const AGENT_ID = numberOf('agentId');
const IS_SIDECHAIN = numberOf('isSidechain');
const TYPE = numberOf('type');
const DATA_TYPE = numberOf('data.type');
/** A line that lacks one of these is not what clients write. */
const NEEDED = [TYPE, UUID, PARENT_UUID, TIMESTAMP, SESSION_ID, VERSION, CWD, GIT_BRANCH, IS_SIDECHAIN, DATA_TYPE];
const LETTER_T = 0x74;

/**
 * Reads flat lines: see flat-keys.ts. The record has the keys that readers of a progress line ask for. Most of its texts
 * are those of the line before and are not made again.
 */
export class FlatReader {
  readonly #memory: LineMemory;
  readonly #readFlat: Routine;
  readonly #texts = FLAT_SLOTS.map(() => '');
  readonly #data = KINDS.map((type) => Object.freeze({ type }));

  constructor(memory: LineMemory, { readFlat }: LineRoutines) {
    this.#memory = memory;
    this.#readFlat = readFlat;
  }

  /** As of the line read last. */
  get isHigh(): boolean {
    return this.#word(0, SLOT.isAnyHigh) !== 0;
  }

  /** The record of the line in memory; null when it is not a flat one. */
  read(): JsonObject | null {
    const kinds = this.#readFlat(LINE_AT, this.#memory.lineEnd, 0);
    if (kinds === 0) return null;
    this.#takeTexts();
    const texts = this.#texts;
    const kind = KINDS.indexOf(texts[DATA_TYPE] as string);
    if (kind < 0 || (kinds & (1 << kind)) === 0 || !NEEDED.every((slot) => this.#has(slot))) return null;
    const record: Record<string, JsonObject[string]> = {
      parentUuid: this.#word(PARENT_UUID, SLOT.type) === FLAT_TYPES.null ? null : (texts[PARENT_UUID] as string),
      isSidechain: this.#memory.bytes[this.#word(IS_SIDECHAIN, SLOT.start)] === LETTER_T,
      cwd: texts[CWD] as string,
      sessionId: texts[SESSION_ID] as string,
      version: texts[VERSION] as string,
      gitBranch: texts[GIT_BRANCH] as string,
      type: texts[TYPE] as string,
      data: this.#data[kind] as JsonObject,
      uuid: texts[UUID] as string,
      timestamp: texts[TIMESTAMP] as string,
    };
    if (this.#has(SLUG)) record['slug'] = texts[SLUG] as string;
    if (this.#has(AGENT_ID)) record['agentId'] = texts[AGENT_ID] as string;
    return record;
  }

  #takeTexts(): void {
    for (let slot = 0; slot < FLAT_SLOTS.length; slot += 1) {
      if (!this.#has(slot) || this.#word(slot, SLOT.type) !== FLAT_TYPES.text) continue;
      if (this.#word(slot, SLOT.isSame) === 1) continue;
      this.#texts[slot] = this.#memory.text(this.#word(slot, SLOT.start), this.#word(slot, SLOT.end), false);
    }
  }

  #has(slot: number): boolean {
    return this.#word(slot, SLOT.start) !== 0;
  }

  #word(slot: number, word: number): number {
    return this.#memory.words[(SLOTS_AT + slot * SLOT_BYTES + word) >> 2] as number;
  }
}
