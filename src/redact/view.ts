/** A decoded text with a mapping back to positions in the original. */
interface View {
  readonly text: string;
  /** Original start of the view's character at `at`. */
  readonly startOf: (at: number) => number;
  /** Original end of the view's character before `at`. */
  readonly endOf: (at: number) => number;
}

/** The end of one string literal and the start of the next: `" + "`, `" . "`, `" & "`, `", "` before a join. */
function joined(quote: string): string {
  const space = String.raw`[ \t]{0,2}(?:\r?\n[ \t]{0,40})?`;
  return String.raw`(?<=[\w+/=-])${quote}(?:${space}(?:[+&]|\.{1,2})${space}|[ \t]{0,2}\r?\n[ \t]{1,40})${quote}(?=[\w+/=-])`;
}

/**
 * Everything that may hide a boundary or a part of a secret: JSON escapes at any depth, percent encoding, HTML
 * entities, terminal colors, line continuations, joined string literals, zero-width characters. Every run is bounded.
 */
const CODED = new RegExp(
  [
    String.raw`\\{1,16}(?:u001[bB]|x1[bB]|033|e)\[[0-9;?]{0,20}[A-Za-z]`,
    String.raw`\\{1,16}(?:u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|["'\x60/nrtbf]|\r?\n[ \t]{0,40})`,
    String.raw`%(?:25){0,3}[2-7][0-9A-Fa-f]|%(?:25){0,3}0[9AaDd]`,
    String.raw`&(?:amp;){0,3}(?:quot|apos|lt|gt|amp|nbsp|equals|colon|#[0-9]{1,5}|#[xX][0-9a-fA-F]{1,4});`,
    String.raw`\x1b\[[0-9;?]{0,20}[A-Za-z]`,
    String.raw`\x1b\][^\x07\x1b]{0,200}(?:\x07|\x1b\\)`,
    // Two string literals joined by an operator or standing side by side, on one line or two.
    joined('"'),
    joined("'"),
    String.raw`(?<=\w)<wbr ?\/?>(?=\w)|<\/?(?:mark|em|b|strong)>|<\/?span(?: (?:class|style)="[^"<>]{0,80}")?>`,
    // Markdown escapes and the line breaks of quoted-printable mail.
    String.raw`(?<=[A-Za-z0-9])\\[_*~-](?=[A-Za-z0-9])|(?<=\w{8})=\r?\n(?=\w)`,
    String.raw`(?<=%3[AaDd])\+(?=%2[27])`,
    '[\u00a0\ufe55\uff01-\uff5e]',
    String.raw`\0`,
    '[\u200b-\u200d\u2060\ufeff\u00ad]',
  ].join('|'),
  'g',
);

const COLOR = String.raw`(?:\x1b|\\{1,16}(?:u001[bB]|x1[bB]|033|e))\[[0-9;?]{0,20}[A-Za-z]`;
/** A color change between two words without a space: it may end a secret or be inside one. */
const COLORED_WORD = new RegExp(String.raw`[A-Za-z0-9](?:${COLOR}){1,8}(?=[A-Za-z0-9])`);

/** A folder of Claude Code: a path with a dash for every other character. */
const FOLDER = /(?<=projects[\\/]{1,2})-(?:[A-Za-z0-9]{1,60}-{1,2}){2,30}[A-Za-z0-9]{16,200}(?![A-Za-z0-9])/g;

/** The same positions, with underscores in the names of folders: prefixes of tokens end with one. */
function folderViews(text: string): readonly View[] {
  if (!text.includes('projects')) return [];
  const plain = text.replaceAll(FOLDER, (folder) => folder.replaceAll('-', '_'));
  return plain === text ? [] : [{ text: plain, startOf: (at) => at, endOf: (at) => at }];
}

/** All decodings of the text; none when nothing in it is encoded. */
export function decodedViews(text: string): readonly View[] {
  return [...codedViews(text), ...folderViews(text)];
}

function codedViews(text: string): readonly View[] {
  const view = decodedView(text, '');
  if (view === null) return [];
  const isColored = /\[[0-9;]{0,20}m/.test(text) && COLORED_WORD.test(text);
  const spaced = isColored ? decodedView(text, ' ') : null;
  return spaced === null ? [view] : [view, spaced];
}

/** Null when nothing in the text is encoded. */
function decodedView(text: string, color: string): View | null {
  CODED.lastIndex = 0;
  let code = CODED.exec(text);
  if (code === null) return null;
  const builder = createBuilder(text);
  for (; code !== null; code = CODED.exec(text)) {
    const plain = isColor(code[0]) ? color : decode(code[0]);
    if (plain !== null) builder.replace(code.index, CODED.lastIndex, plain);
  }
  return builder.view();
}

function isColor(code: string): boolean {
  return code.startsWith('\u001b[') || (code.startsWith('\\') && code.includes('['));
}

/** Builds a view from replaced pieces and the unchanged text between them. */
function createBuilder(original: string) {
  /** For each replacement: its end in the view, and its end and start in the original. */
  const viewEnds: number[] = [];
  const changes: { readonly viewStart: number; readonly start: number; readonly end: number }[] = [];
  let text = '';
  let from = 0;
  return {
    replace: (start: number, end: number, plain: string) => {
      text += original.slice(from, start);
      changes.push({ viewStart: text.length, start, end });
      text += plain;
      viewEnds.push(text.length);
      from = end;
    },
    view: (): View => {
      text += original.slice(from);
      const lastBefore = (at: number) => countUpTo(viewEnds, at) - 1;
      const startOf = (at: number) => {
        const before = lastBefore(at);
        const next = changes[before + 1];
        if (next !== undefined && next.viewStart <= at) return next.start;
        return at - (viewEnds[before] ?? 0) + (changes[before]?.end ?? 0);
      };
      return { text, startOf, endOf: (at) => (at === 0 ? 0 : endAfter(at - 1)) };

      function endAfter(at: number): number {
        const before = lastBefore(at);
        const next = changes[before + 1];
        if (next !== undefined && next.viewStart <= at) return next.end;
        return at + 1 - (viewEnds[before] ?? 0) + (changes[before]?.end ?? 0);
      }
    },
  };
}

/** Counts the ascending numbers that are not above the limit. */
function countUpTo(ascending: readonly number[], limit: number): number {
  let [low, high] = [0, ascending.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ascending[middle] ?? 0) <= limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

const ENTITIES: Readonly<Record<string, string>> = {
  quot: '"',
  apos: "'",
  lt: '<',
  gt: '>',
  amp: '&',
  nbsp: ' ',
  equals: '=',
  colon: ':',
};
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: ' ', f: ' ' };

/** Decodes a code; null when it does not represent text. */
function decode(code: string): string | null {
  if (code.startsWith('%')) return String.fromCharCode(Number.parseInt(code.slice(-2), 16));
  if (code.startsWith('&')) return decodeEntity(code.slice(code.lastIndexOf(';', code.length - 2) + 1, -1));
  if (code === '\u00a0' || code === '+') return ' ';
  if (code >= '\ufe55')
    return code === '\ufe55' ? ':' : code === '\ufeff' ? '' : String.fromCharCode(code.charCodeAt(0) - 0xfee0);
  if (!code.startsWith('\\')) return '';
  const bare = code.replace(/^\\+/, '');
  if (/^[ux]/.test(bare)) return toPlain(Number.parseInt(bare.slice(1), 16));
  return /^[\r\n]/.test(bare) ? '' : (ESCAPES[bare] ?? bare);
}

function decodeEntity(name: string): string | null {
  const entity = name.replace('&', '');
  if (!entity.startsWith('#')) return ENTITIES[entity] ?? null;
  const isHex = /^#x/i.test(entity);
  return toPlain(Number.parseInt(entity.slice(isHex ? 2 : 1), isHex ? 16 : 10));
}

function toPlain(code: number): string | null {
  if (code === 9 || code === 10 || code === 13 || (code >= 32 && code < 127)) return String.fromCharCode(code);
  return code >= 0x200b && code <= 0x200d ? '' : null;
}
