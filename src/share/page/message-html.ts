import type { BlockRow, MessageRow } from '../../api/answers/transcript.ts';
import { commandText, outputText } from '../../domain/client-tags.ts';
import { plural, shortModel } from '../../reading/format.ts';
import {
  compactionText,
  injectedBlocks,
  injectedLabel,
  injectedText,
  isFailure,
  labelOf,
  mediaText,
  noticeText,
  teaserOf,
  speakerOf,
  textOf,
} from '../../reading/message-text.ts';
import { type Html, html } from './html.ts';
import { code, markdown, typedText } from './markdown-html.ts';

/** Whoever reads this is somebody else than who typed it. */
export function prompt(message: MessageRow): Html {
  const media = message.content_blocks.filter(({ content_text }) => content_text === null).map(mediaOf);
  const head = html`<div class="byline"><span class="who">${speakerOf(message).replace(/^You/, 'Prompt')}</span>${clock(message.timestamp)}</div>`;
  return html`<section class="prompt">${[head, typedText(textOf(message)), media, injectedBlocks(message).map(injected)]}</section>\n`;
}

/** What the client or an editor put into the prompt. */
function injected(block: BlockRow): Html {
  return html`<details class="quiet"><summary>${injectedLabel(block)}</summary><div class="body">${code(injectedText(block))}</div></details>`;
}

/** A text of the model, under its name where another one spoke before. */
export function answer(message: MessageRow, block: BlockRow, hasByline: boolean): Html {
  const name = html`<span class="model">${shortModel(message.model)}</span>`;
  const head = hasByline ? html`<div class="byline">${name}${clock(message.timestamp)}</div>` : null;
  return html`<section class="answer">${head}${markdown(block.content_text ?? '')}${restOf(block.metadata)}</section>\n`;
}

export function thinking({ thinking_text }: BlockRow): Html {
  const text = thinking_text ?? '';
  if (text.trim() === '') return html`<p class="thinking">Thinking hidden by the model</p>\n`;
  return html`<details><summary><span class="thinking">Thinking</span></summary><div class="body">${markdown(text)}</div></details>\n`;
}

export function mediaOf(block: BlockRow): Html {
  return html`<p class="media">${mediaText(block)}</p>\n`;
}

export function command(message: MessageRow): Html {
  return html`<p class="command"><code>${commandText(textOf(message))}</code>${clock(message.timestamp)}</p>\n`;
}

export function notice(message: MessageRow): Html {
  return html`<p class="${isFailure(message) ? 'notice error' : 'notice'}" dir="auto">${noticeText(message)}</p>\n`;
}

export function compaction(message: MessageRow): Html {
  return html`<div class="compaction"><span>${compactionText(message)}</span></div>\n`;
}

export function summary(message: MessageRow): Html {
  return html`<details class="quiet"><summary>Summary that the model went on with</summary><div class="body">${markdown(textOf(message))}</div></details>\n`;
}

const MAX_LABELS = 4;

/** A run of messages that nobody typed: one muted line that opens. */
export function context(messages: readonly MessageRow[]): Html {
  const labels = [...new Set(messages.map(labelOf))];
  const more = labels.length > MAX_LABELS ? ` and ${labels.length - MAX_LABELS} more` : '';
  const [only] = messages.length === 1 ? messages : [];
  const about = only === undefined ? plural(messages.length, 'message') : teaserOf(only);
  return html`<details class="quiet"><summary>${[
    html`<span>${labels.slice(0, MAX_LABELS).join(', ') + more}</span>`,
    html`<bdi class="about">${about}</bdi>`,
  ]}</summary><div class="body">${messages.map(contextMessage)}</div></details>\n`;
}

function contextMessage(message: MessageRow): Html {
  const text = outputText(textOf(message));
  return html`<p class="muted">${labelOf(message)}</p>${text === '' ? null : code(text)}`;
}

/** Rows hold only so much of a text; the archive has all of it. */
export function restOf({ truncated }: BlockRow['metadata']): Html | null {
  return truncated === true ? html`<p class="muted">The rest of this text is left out.</p>` : null;
}

/** To the minute, in the one zone that says the same to every reader. */
export function clock(timestamp: string | null): Html | null {
  const date = new Date(timestamp ?? '');
  if (Number.isNaN(date.getTime())) return null;
  return html`<time>${date.toISOString().slice(0, 16).replace('T', ' ')} UTC</time>`;
}
