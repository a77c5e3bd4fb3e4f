import type { Detect } from './detect.ts';

export const HOME = 'home-directory';
const USUAL_HOMES =
  /(?<![\w.~-])(?:\/(?:Users|home)\/(?!Shared\b)[\w.-]{1,64}|[A-Za-z]:(?:\\{1,2}|\/)Users(?:\\{1,2}|\/)[\w.-]{1,64})(?![\w.-])/g;

/** Finds home directories: the usual ones and the given ones, whatever their paths. */
export function detectHomes(homes: readonly string[]): Detect {
  const known = homes.filter((home) => home.length > 1).toSorted((a, b) => b.length - a.length);
  return (text, report) => {
    for (const home of known) detectPath(text, home, (start) => report(HOME, start, start + home.length));
    if (!/Users|home/.test(text)) return;
    for (const { index, 0: home } of text.matchAll(USUAL_HOMES)) report(HOME, index, index + home.length);
  };
}

/** `/root` is a home, `/rootfs` is not. */
function detectPath(text: string, home: string, report: (start: number) => void): void {
  for (let at = text.indexOf(home); at >= 0; at = text.indexOf(home, at + home.length)) {
    const isWhole = !/[\w.~-]/.test(text.charAt(at - 1)) && !/[\w.-]/.test(text.charAt(at + home.length));
    if (isWhole) report(at);
  }
}
