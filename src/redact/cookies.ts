import type { Detect } from './detect.ts';
import { isPasswordValue } from './values.ts';

/** The header, the curl option, or a cookie file. */
const HEAD =
  /(?:\b(?:set-)?cookie["']?[ \t]{0,2}:[ \t]{0,3}["']?|\s(?:-b|--cookie)[ =]{1,2}["']?)(?=[\w.%!#$&*^|~-]{1,80}=)/gi;
const PAIR =
  /(?:;[ \t]{0,3})?([\w.%!#$&*^|~-]{1,80})=([^\s;,"'`<>]{0,4000})|;[ \t]{0,3}(?:secure|httponly|partitioned)\b/iy;
/** Attributes of a cookie, not values. */
const ATTRIBUTE = /^(?:path|domain|expires|max-age|samesite|priority|version)$/i;
const MIN_COOKIE_CHARS = 6;

/** Finds the values of cookies; their names stay. */
export const detectCookies: Detect = (text, report) => {
  if (!/cookie|-b/i.test(text)) return;
  HEAD.lastIndex = 0;
  while (HEAD.test(text)) {
    PAIR.lastIndex = HEAD.lastIndex;
    for (let pair = PAIR.exec(text); pair !== null; pair = PAIR.exec(text)) {
      const [, name = '', value = ''] = pair;
      const end = pair.index + pair[0].length;
      const isCookie = !ATTRIBUTE.test(name) && value.length >= MIN_COOKIE_CHARS && isPasswordValue(value, 'literal');
      if (isCookie) report('cookie', end - value.length, end);
      HEAD.lastIndex = end;
    }
  }
};
