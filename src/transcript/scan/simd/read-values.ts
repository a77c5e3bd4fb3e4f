import { OTHER_TEXT, SAME_TEXT } from '../line-engine.ts';
import { type Code, call, copy, get, i32, repeatWhile, returnValue, set, type WasmFunction, when } from './emit.ts';
import { ENTRY } from './find-entry.ts';

/**
 * readValues(): decodes the values located by readRecord. Returns 1, or 0 if one of them is not written in the usual
 * form. Each value becomes a number, depending on its kind:
 */
export const KIND = {
  /** Position only. */
  place: 0,
  /** A token count; 0 for null. */
  count: 1,
  /** 1 for true. */
  flag: 2,
  /** 1 for an object. */
  object: 3,
  /** The number of the word in a table; 0 for other words and for values that are not strings. */
  word: 4,
  /** Days since 1970; the milliseconds of the day are in the next entry. */
  time: 5,
  /**
   * SAME or OTHER compared with the previous record; the hash is in the next entry. A missing text is compared as well.
   */
  text: 6,
} as const;

/** Data of a slot: its kind, then the address of the word table or of the previous record's text. */
export const SLOT_INFO = { kind: 0, address: 4, bytes: 8 } as const;
/** The previous record's text: its length, then its bytes. */
export const KEPT_TEXT = { length: 0, content: 16, maxBytes: 112, bytes: 128 } as const;

interface ReadValuesLayout {
  readonly slotsAt: number;
  readonly slotCount: number;
  readonly valuesAt: number;
  readonly infoAt: number;
  readonly readCountIndex: number;
  readonly readTimeIndex: number;
  readonly isPlainIndex: number;
  readonly isSameIndex: number;
  readonly hashIndex: number;
  readonly findEntryIndex: number;
}

const QUOTE = 0x22;
const OPEN_BRACE = 0x7b;
const LOWER_T = 0x74;

const SLOT = 3;
const INFO = 4;
const VALUE = 5;
const AT = 6;
const END = 7;
const RESULT = 8;

const at = get(AT);
const end = get(END);
const kept = i32.load(get(INFO), SLOT_INFO.address);
const giveUp = returnValue(i32.const(0));
const isKind = (kind: number): Code => i32.eq(i32.load(get(INFO), SLOT_INFO.kind), i32.const(kind));
const store = (value: Code): Code => i32.store(get(VALUE), value);
const isString = i32.eq(i32.loadByte(at), i32.const(QUOTE));
const contentAt = i32.add(at, i32.const(1));
const contentEnd = i32.sub(end, i32.const(1));
const contentLength = i32.sub(end, i32.add(at, i32.const(2)));
const isByte = (byte: number): Code => i32.eq(i32.loadByte(at), i32.const(byte));

export function readValues(layout: ReadValuesLayout): WasmFunction {
  const isPlain = call(layout.isPlainIndex, contentAt, contentEnd, end);
  const takeOrGiveUp = (value: Code): Code => [
    ...set(RESULT, value),
    ...when(i32.lt(get(RESULT), i32.const(0)), giveUp),
    ...store(get(RESULT)),
  ];
  const readWord: Code = when(isString, [
    ...when(i32.eqz(isPlain), giveUp),
    ...set(RESULT, call(layout.findEntryIndex, contentAt, contentLength, i32.load(get(INFO), SLOT_INFO.address))),
    ...when(get(RESULT), store(i32.load(get(RESULT), ENTRY.number))),
  ]);
  const isUsualText = i32.and(
    i32.and(isString, i32.gt(contentLength, i32.const(0))),
    i32.le(contentLength, i32.const(KEPT_TEXT.maxBytes)),
  );
  const checkText: Code = [...when(i32.eqz(isUsualText), giveUp), ...when(i32.eqz(isPlain), giveUp)];
  const understand: Code = [
    ...when(isKind(KIND.count), takeOrGiveUp(call(layout.readCountIndex, at, end, end))),
    ...when(isKind(KIND.flag), store(isByte(LOWER_T))),
    ...when(isKind(KIND.object), store(isByte(OPEN_BRACE))),
    ...when(isKind(KIND.word), readWord),
    ...when(isKind(KIND.time), takeOrGiveUp(call(layout.readTimeIndex, at, end, i32.add(get(VALUE), i32.const(4))))),
    ...when(isKind(KIND.text), checkText),
  ];
  const isSameText = call(layout.isSameIndex, contentAt, contentEnd, i32.add(kept, i32.const(KEPT_TEXT.content)));
  const keepText: Code = [
    ...store(i32.const(OTHER_TEXT)),
    ...i32.store(kept, contentLength, KEPT_TEXT.length),
    ...copy(i32.add(kept, i32.const(KEPT_TEXT.content)), contentAt, contentLength),
    ...i32.store(get(VALUE), call(layout.hashIndex, contentAt, contentEnd, end), 4),
  ];
  const compareText: Code = when(
    at,
    [
      ...set(RESULT, i32.eq(i32.load(kept, KEPT_TEXT.length), contentLength)),
      ...when(get(RESULT), set(RESULT, isSameText)),
      ...when(get(RESULT), store(i32.const(SAME_TEXT)), keepText),
    ],
    [
      ...when(i32.load(kept, KEPT_TEXT.length), store(i32.const(OTHER_TEXT)), store(i32.const(SAME_TEXT))),
      ...i32.store(kept, i32.const(0), KEPT_TEXT.length),
    ],
  );
  // The previous record's texts are replaced only once nothing can fail any more.
  return {
    name: 'readValues',
    i32Locals: 6,
    v128Locals: 0,
    code: [
      ...forEachSlot(layout, [...store(i32.const(0)), ...when(at, understand)]),
      ...forEachSlot(layout, when(isKind(KIND.text), compareText)),
      ...i32.const(1),
    ],
  };
}

/** Runs the code for each slot with SLOT, INFO, VALUE, AT and END set. */
function forEachSlot({ slotsAt, slotCount, valuesAt, infoAt }: ReadValuesLayout, code: Code): Code {
  const advance = (local: number, bytes: number): Code => set(local, i32.add(get(local), i32.const(bytes)));
  return [
    ...set(SLOT, i32.const(slotsAt)),
    ...set(INFO, i32.const(infoAt)),
    ...set(VALUE, i32.const(valuesAt)),
    ...repeatWhile(
      [
        ...set(AT, i32.load(get(SLOT))),
        ...set(END, i32.load(get(SLOT), 4)),
        ...code,
        ...advance(SLOT, 8),
        ...advance(INFO, SLOT_INFO.bytes),
        ...advance(VALUE, 8),
      ],
      i32.lt(get(SLOT), i32.const(slotsAt + 8 * slotCount)),
    ),
  ];
}
