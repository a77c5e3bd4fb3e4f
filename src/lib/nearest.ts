const MOST_SLIPS = 3;

/** Candidates that `word` may be a typo of, nearest first: by default one edit for every three letters, up to three. */
export function nearest(
  word: string,
  candidates: Iterable<string>,
  mostSlips = Math.min(MOST_SLIPS, Math.floor(word.length / 3)),
): readonly string[] {
  const wanted = word.toLowerCase();
  return [...candidates]
    .map((candidate) => ({ candidate, slips: countSlips(wanted, candidate.toLowerCase(), mostSlips) }))
    .filter(({ slips }) => slips <= mostSlips)
    .toSorted((a, b) => a.slips - b.slips)
    .map(({ candidate }) => candidate);
}

/** The start of a hint: the candidate that `word` may be a typo of, as a question, or nothing. */
export function didYouMean(word: string, candidates: Iterable<string>, show = (name: string) => name): string {
  const [near] = nearest(word, candidates);
  return near === undefined ? '' : `Did you mean ${show(near)}? `;
}

/** Edit distance between two words, counting swapped neighbors as one edit; stops counting above `most`. */
function countSlips(a: string, b: string, most: number): number {
  if (Math.abs(a.length - b.length) > most) return most + 1;
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1];
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      row[j] = Math.min(
        (row[j - 1] ?? most) + 1,
        (last[j] ?? most) + 1,
        (last[j - 1] ?? most) + (isSame ? 0 : 1),
        isSwap ? (beforeLast[j - 2] ?? most) + 1 : Infinity,
      );
    }
    if (Math.min(...row) > most) return most + 1;
    beforeLast = last;
    last = row;
  }
  return last[b.length] ?? most + 1;
}
