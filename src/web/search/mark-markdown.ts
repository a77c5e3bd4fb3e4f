import type { MarkedPart } from './mark-highlights.ts';

type Line = readonly MarkedPart[];

/** A piece of a line in one form; within it some parts match the search. */
export interface ProseRun {
  readonly form: 'text' | 'code' | 'strong' | 'emphasis';
  readonly parts: Line;
}

export interface ProseLine {
  readonly form: 'text' | 'heading' | 'code';
  readonly runs: readonly ProseRun[];
}

const FENCE = /^\s*(?:```|~~~)\s*([\w+#-]*)\s*$/;

/**
 * Lines of Markdown as they are read: headings, lists, emphasis and code without their signs. An excerpt may begin or end
 * within something, so only signs that are complete within the line count, and a fence without a language has to be one
 * of two.
 */
export function markProse(lines: readonly Line[]): readonly ProseLine[] {
  const fences = lines.map((line) => FENCE.exec(textOf(line)));
  const isPair = fences.filter((fence) => fence !== null).length > 1;
  let isCode = false;
  return lines.flatMap((line, at): readonly ProseLine[] => {
    const fence = fences[at] ?? null;
    if (fence !== null && (isCode || isPair || fence[1] !== '')) {
      isCode = !isCode;
      return [];
    }
    return [isCode ? { form: 'code', runs: [{ form: 'text', parts: line }] } : proseLine(line)];
  });
}

function proseLine(line: Line): ProseLine {
  const text = textOf(line);
  const heading = /^…?#{1,6} +/.exec(text);
  if (heading !== null) return { form: 'heading', runs: runsOf(cut(line, heading[0].length, text.length)) };
  const item = /^(…?\s*)[-*+] (?=\S|$)/.exec(text);
  if (item === null) return { form: 'text', runs: runsOf(line) };
  const bullet = { text: `${item[1]}• `, isMarked: false };
  return { form: 'text', runs: runsOf([bullet, ...cut(line, item[0].length, text.length)]) };
}

/** Code, then bold and emphasized text. Double backticks quote single ones, which is rare in an excerpt and left as it is. */
const SIGNS =
  /`(?<code>[^`]+)`|\*\*(?=\S)(?<strong>[^*]*[^*\s])\*\*|(?<![\w*/])\*(?=[^\s*])(?<emphasis>[^*]*[^*\s])\*(?![\w*/.])/g;
const FORMS = ['code', 'strong', 'emphasis'] as const;

function runsOf(line: Line): readonly ProseRun[] {
  const text = textOf(line);
  const runs: ProseRun[] = [];
  const add = (form: ProseRun['form'], from: number, to: number) => {
    if (to > from) runs.push({ form, parts: cut(line, from, to) });
  };
  let end = 0;
  for (const match of text.includes('``') ? [] : text.matchAll(SIGNS)) {
    const form = FORMS.find((name) => match.groups?.[name] !== undefined) ?? 'text';
    const from = match.index + (form === 'strong' ? 2 : 1);
    add('text', end, match.index);
    add(form, from, from + (match.groups?.[form]?.length ?? 0));
    end = match.index + match[0].length;
  }
  add('text', end, text.length);
  return runs;
}

function textOf(line: Line): string {
  return line.map(({ text }) => text).join('');
}

/** The part of a line between two positions. */
function cut(line: Line, from: number, to: number): Line {
  let start = 0;
  return line.flatMap(({ text, isMarked }) => {
    const piece = text.slice(Math.max(from - start, 0), Math.max(to - start, 0));
    start += text.length;
    return piece === '' ? [] : [{ text: piece, isMarked }];
  });
}
