import { isCompleteField, isFlat, joinTerms, type QueryTerm, termsOf } from './terms.ts';

/** A search while it is being edited: its finished fields, shown as chips, and the text that is still typed. */
export interface Draft {
  readonly fields: readonly string[];
  readonly text: string;
}

interface Settled {
  readonly draft: Draft;
  readonly caret: number;
}

export function draftOf(query: string): Draft {
  return settle({ fields: [], text: query }, null).draft;
}

/**
 * Moves finished fields out of the text: all of them, or with a caret those before it, which a space ended. A search
 * with operators stays one text, because its parts cannot be moved.
 */
export function settle({ fields, text }: Draft, caret: number | null): Settled {
  const at = caret ?? text.length;
  const whole = joinTerms(text === '' ? fields : [...fields, text]);
  if (!isFlat(termsOf(whole))) return { draft: { fields: [], text: whole }, caret: at + whole.length - text.length };
  const isFinished = (term: QueryTerm) => isCompleteField(term) && (caret === null || caret > term.to);
  let rest = '';
  let end = 0;
  let left = at;
  const moved: string[] = [];
  for (const term of termsOf(text).filter(isFinished)) {
    const next = endOfSpace(text, term.to);
    rest += text.slice(end, term.from);
    moved.push(text.slice(term.from, term.to));
    left -= Math.max(0, Math.min(at, next) - term.from);
    end = next;
  }
  rest += text.slice(end);
  return { draft: { fields: [...fields, ...moved], text: rest }, caret: Math.min(left, rest.length) };
}

function endOfSpace(text: string, from: number): number {
  return from + (/^\s*/.exec(text.slice(from))?.[0].length ?? 0);
}

/** The search to run: without the field at the caret, which is not finished, unless that would change the rest. */
export function queryOf({ fields, text }: Draft, caret: number | null): string {
  const terms = termsOf(text);
  const typed = caret === null ? undefined : terms.find(({ from, to }) => from < caret && caret <= to);
  const isLeftOut = typed?.kind === 'field' && isFlat(terms);
  const rest = isLeftOut ? `${text.slice(0, typed.from).trimEnd()} ${text.slice(typed.to).trimStart()}` : text;
  return joinTerms([...fields, rest.trim()].filter((part) => part !== ''));
}
