/** Where things stand in the memory of the condenser. */

/** What the last line gave: see RESULT. */
export const RESULT_AT = 64;
/** What skipLongString saw: see LONG. */
export const LONG_AT = 128;
/** Three words for each text set aside: start, end, and its TEXT_FLAGS. */
export const TEXTS_AT = 256;
export const TEXT_BYTES = 12;
export const MAX_TEXTS = 40;
/** By the byte behind a backslash: the byte it stands for, 1 for `u`, 0 for an escape that there is not. */
export const ESCAPES_AT = 1_024;
/** By byte: the value of a hexadecimal digit; 0xff for others. */
export const HEX_AT = 1_280;
/** By region and depth: the rules that hold there. */
export const MASKS_AT = 1_536;
export const TABLES_AT = 2_048;
/** Values of a flat line: see SLOT. */
export const SLOTS_AT = 10_240;
export const SLOT_BYTES = 160;
/** Bytes of a text that are kept to compare the next with. */
export const KEPT_BYTES = 128;
/** The line stands from here on, and what is made of it behind it. */
export const LINE_AT = 16_384;
/** The routines look and write so far behind the last byte. */
export const SLACK_BYTES = 128;

/** Words at RESULT_AT. */
export const RESULT = { start: 0, end: 4, texts: 8, isKeptHigh: 12, isAnyHigh: 16, isUnescapedHigh: 20 } as const;

/** In each slot; `isAnyHigh` of the whole line stands in the first. */
export const SLOT = { start: 0, end: 4, type: 8, isSame: 12, keptLength: 16, isAnyHigh: 20, kept: 24 } as const;

/** Words at LONG_AT. */
export const LONG = { isEscaped: 0, isHigh: 4, isMarked: 8 } as const;

export const TEXT_FLAGS = { escaped: 1, high: 2 } as const;

/** In the place of a text set aside: this, and a character for its number. No line that has texts set aside holds it. */
export const MARK_CODE = 2;
export const MARK_ESCAPE = '\\u0002';
export const FIRST_NUMBER_CHAR = 0x30;
