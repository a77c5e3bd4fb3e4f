import type { Entry } from './entry.ts';
import { shortModel } from './format.ts';
import { backticksFor, MIN_FENCE } from './markdown.ts';
import { LAST_LINE_ENDS, quoteBlock } from './markdown-writer.ts';
import { diffOf, outcomeText, type ToolCall, viewOf } from './tool-call.ts';
import { viewText } from './view-text.ts';

/** A conversation as Markdown, to be pasted elsewhere. Text that no person wrote or read is left out. */
export function toMarkdown(entries: readonly Entry[]): string {
  const parts = entries.map(entryMarkdown).filter((part) => part !== '');
  return parts.length === 0 ? '' : `${parts.join('\n\n')}\n`;
}

function entryMarkdown(entry: Entry): string {
  switch (entry.kind) {
    case 'prompt':
      return [`## ${entry.speaker}`, entry.text.trim(), ...entry.media.map(({ text }) => text)]
        .filter((part) => part !== '')
        .join('\n\n');
    case 'command':
      return `## You\n\n${inlineCode(entry.text)}`;
    case 'answer':
      return entry.isNewSpeaker ? `## ${modelName(entry.message.model)}\n\n${entry.text.trim()}` : entry.text.trim();
    case 'thinking':
      return quoteBlock(entry.text.trim());
    case 'tool':
      return toolMarkdown(entry.call);
    case 'result':
      return fence(entry.result.text);
    case 'media':
      return entry.media.text;
    case 'notice':
      return `*${entry.text.trim()}*`;
    case 'compaction':
      return `---\n\n*${entry.text}*`;
    case 'summary':
      return quoteBlock(entry.text.trim());
    case 'context':
    case 'empty':
      return '';
    default:
      return entry satisfies never;
  }
}

function modelName(model: string | null): string {
  return model === null ? 'Model' : shortModel(model);
}

function toolMarkdown(call: ToolCall): string {
  const outcome = outcomeText(call);
  const title = `**${call.name}** ${inlineCode(call.about)}${outcome === '' ? '' : ` (${outcome})`}`.trim();
  const view = viewOf(call);
  const diff = diffOf(call);
  const body = diff === null ? viewText(view) : '';
  const shown = body.trim() === call.about.trim() ? '' : body;
  const change = diff === null ? '' : fence(diff.lines.map(({ mark, text }) => mark + text).join('\n'), 'diff');
  return [title, fence(shown), change, fence(call.result?.text ?? '')].filter((part) => part !== '').join('\n\n');
}

/** Like `fence` of markdown-writer.ts, but nothing for blank text, and control characters stay. */
function fence(text: string, language = ''): string {
  if (text.trim() === '') return '';
  const ticks = backticksFor(text, MIN_FENCE);
  return `${ticks}${language}\n${text.replace(LAST_LINE_ENDS, '')}\n${ticks}`;
}

function inlineCode(text: string): string {
  if (text.trim() === '') return '';
  const ticks = backticksFor(text, 1);
  return ticks.length === 1 ? `\`${text}\`` : `${ticks} ${text} ${ticks}`;
}
