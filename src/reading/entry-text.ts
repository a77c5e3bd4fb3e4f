import type { Entry } from './entry.ts';
import { type ToolCall, viewOf } from './tool-call.ts';
import { editsOf } from './tool-view.ts';
import { viewText } from './view-text.ts';

/** The text that an entry shows when it is open: what a search in the page finds. */
export function entryText(entry: Entry): string {
  switch (entry.kind) {
    case 'prompt':
      return [entry.text, ...entry.injected.map(({ text }) => text)].join('\n\n');
    case 'tool':
      return toolText(entry.call);
    case 'result':
      return entry.result.text;
    case 'context':
      return entry.items.map(({ text }) => text).join('\n\n');
    case 'media':
    case 'empty':
      return '';
    default:
      return entry.text;
  }
}

function toolText(call: ToolCall): string {
  const view = viewOf(call);
  const edits = view.kind === 'diff' ? editsOf(call.input) : [];
  const changes = edits.flatMap(({ before, after }) => [before, after]);
  const path = view.kind === 'diff' ? (view.path ?? '') : '';
  return [path, viewText(view), ...changes, call.result?.text ?? ''].filter((part) => part !== '').join('\n\n');
}

/** How often a text contains another one; upper and lower case are the same. */
export function countHits(text: string, wanted: string): number {
  const [all, needle] = [text.toLowerCase(), wanted.toLowerCase()];
  if (needle === '') return 0;
  let count = 0;
  for (let at = all.indexOf(needle); at >= 0; at = all.indexOf(needle, at + needle.length)) count += 1;
  return count;
}
