export interface Range {
  readonly from: number;
  readonly to: number;
}

/** Runs of bytes worth a blob of their own, since other sessions very likely hold the same. In order, apart. */
export function findSharedRanges(_bytes: Uint8Array): readonly Range[] {
  return [];
}
