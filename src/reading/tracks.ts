/** Assigns overlapping items to different tracks, each the first one that is free. */
export interface Tracks {
  /** The track of something that takes from `start` (inclusive) to `end` (exclusive); starts must not decrease. */
  place(start: number, end: number): number;
  readonly count: number;
}

/** `taken` tracks are never free. */
export function createTracks(taken = 0): Tracks {
  const ends = Array.from({ length: taken }, () => Number.POSITIVE_INFINITY);
  return {
    place(start, end) {
      const free = ends.findIndex((used) => used <= start);
      const track = free < 0 ? ends.length : free;
      ends[track] = end;
      return track;
    },
    get count() {
      return ends.length;
    },
  };
}
