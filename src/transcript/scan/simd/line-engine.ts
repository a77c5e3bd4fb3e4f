/** Bytes to be looked at stand from here on; what is below belongs to the engine. */
export const FIRST_BYTE = 16_384;

/** Finds lines with usage, and the places and meaning of values in them. Others fill its memory. */
export interface LineEngine {
  /** The whole memory: addresses are positions in it. This and the two below are other arrays after `grow`. */
  readonly bytes: Buffer;
  /** Start and end of each value the key table names, 0 when the record has none. */
  readonly slots: Int32Array;
  /** What the value means, see KIND of read-values.ts. */
  readonly values: Int32Array;
  /** Of the line found last; the end is its newline, or the end of the search. */
  readonly lineStart: number;
  readonly lineEnd: number;
  /** How many bytes fit in behind FIRST_BYTE. */
  readonly sizeBytes: number;
  /** Goes to the next line with usage; `from` is the start of a line. */
  findLine(from: number, to: number): boolean;
  /** Fills `slots` from the record at `from` and gives the address behind it; 0 when it is unusual. */
  readRecord(from: number, to: number): number;
  /** Fills `values` from `slots`; false when one of them is not written in the usual way. */
  readValues(): boolean;
  /** Makes room for so many bytes and keeps what is there. */
  grow(sizeBytes: number): void;
}
