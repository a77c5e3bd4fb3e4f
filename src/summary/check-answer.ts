import { MAX_AI_SUMMARY_CHARS, MIN_AI_SUMMARY_CHARS } from '../domain/summary.ts';
import { plainLines, withoutControls } from './plain-text.ts';

export type CheckedAnswer = { readonly text: string } | { readonly fault: string };

/** Longer answers are rejected unread. */
const MAX_RAW_CHARS = 10_000;
const JSON_LIKE = /^\s*[[{][^]*[\]}]\s*$/;
const PAGE = /<(?:!doctype|html|head|body|script|style|iframe|svg)\b/i;
const REFUSAL =
  /^(?:i(?:['’]m| am) (?:sorry|unable|not able)|i (?:can(?:no|['’])t|won['’]t|do not|don['’]t) |sorry\b|as an ai\b|i apologi[sz]e)/i;
const LINK = /(?:[a-z0-9+.-]{1,20}:\/\/|:\/\/|javascript:|\b(?:www\.|mailto:|data:(?=\S)))\S*/gi;

/** Returns a model's answer as one line of inert plain text, or what is wrong with it. */
export function checkAnswer(raw: string, mark: string): CheckedAnswer {
  if (raw.length > MAX_RAW_CHARS) return { fault: 'the answer is far too long' };
  if (PAGE.test(raw)) return { fault: 'the answer is a web page' };
  if (JSON_LIKE.test(raw)) return { fault: 'the answer is JSON' };
  if (raw.includes(mark)) return { fault: 'the response repeats the marker of the request' };
  const text = inertLine(raw);
  if (REFUSAL.test(text)) return { fault: 'the answer is a refusal' };
  if (!/\p{L}{2}/u.test(text) || text.length < MIN_AI_SUMMARY_CHARS) return { fault: 'the answer is empty' };
  if (text.length > MAX_AI_SUMMARY_CHARS) return { fault: 'the answer is too long' };
  return { text };
}

/** Removes markup, control characters and URLs, so that nothing can be clicked, run or shown in colour. */
function inertLine(raw: string): string {
  return plainLines(withoutControls(raw))
    .join(' ')
    .replaceAll(/[<>]/g, '')
    .replaceAll(LINK, '(link removed)')
    .replaceAll(/\s+/g, ' ')
    .trim();
}
