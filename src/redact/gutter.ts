/**
 * Prefixes that tools add to lines: the line numbers of Read, `cat -n`, grep and code frames, diff marks, quote and
 * comment marks. Source of a regular expression; every run is bounded.
 */
export const GUTTER = String.raw`[ \t]{0,80}(?:[\w./-]{1,120}[:-](?=\d))?(?:\d{1,7}(?:[→\t:-]|[ ]{0,2}[|│]|[ ]{2}(?=\S)))?[ \t]{0,40}(?:[+>|#*-]|\/\/){0,2}[ \t]{0,40}`;
