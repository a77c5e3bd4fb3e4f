import type { Replace } from './replace.ts';

const BEGIN = /-----BEGIN (?:[A-Z0-9]{1,12} ){0,4}PRIVATE KEY(?: BLOCK)?-----/g;
const END = /-----END (?:[A-Z0-9]{1,12} ){0,4}PRIVATE KEY(?: BLOCK)?-----/y;
/** What stands between the two lines, also where line ends were escaped once or twice by JSON. */
const BODY = /(?:[A-Za-z0-9+/=\\.]|\r?\n[ \t]{0,40}|[:,] ?|-(?!----))*/y;

/** PEM blocks over several lines, and the beginning of one whose end was cut off. */
export const replacePrivateKeys: Replace = (text, found) => {
  if (!text.includes('PRIVATE KEY')) return text;
  let result = '';
  let from = 0;
  BEGIN.lastIndex = 0;
  for (let begin = BEGIN.exec(text); begin !== null; begin = BEGIN.exec(text)) {
    const end = endOfKey(text, BEGIN.lastIndex);
    result += text.slice(from, begin.index) + found('private-key');
    from = end;
    BEGIN.lastIndex = end;
  }
  return result + text.slice(from);
};

function endOfKey(text: string, from: number): number {
  BODY.lastIndex = from;
  BODY.test(text);
  const bodyEnd = BODY.lastIndex;
  END.lastIndex = bodyEnd;
  return END.test(text) ? END.lastIndex : bodyEnd;
}
