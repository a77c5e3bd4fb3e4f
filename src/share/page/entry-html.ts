import { contextAbout, type ContextItem, contextLabel, type Entry, type EntryOf } from '../../reading/entry.ts';
import { formatTime, shortModel } from '../../reading/format.ts';
import { type Branch, branchText } from '../../reading/parts.ts';
import { type Html, html } from './html.ts';
import { code, markdown, typedText } from './markdown-html.ts';
import { cutNote, resultHtml, toolHtml } from './tool-html.ts';

/** An entry as HTML; null if it has nothing to show to others. */
export function entryHtml(entry: Entry): Html | null {
  switch (entry.kind) {
    case 'prompt':
      return promptHtml(entry);
    case 'command':
      return html`${branchHtml(entry.branch)}<p class="command"><code>${entry.text}</code>${clock(entry.message.timestamp)}</p>\n`;
    case 'answer':
      return answerHtml(entry);
    case 'thinking':
      return thinkingHtml(entry);
    case 'tool':
      return toolHtml(entry.call);
    case 'result':
      return resultHtml(entry.result);
    case 'media':
      return mediaHtml(entry.text);
    case 'notice':
      return html`<p class="${entry.isError ? 'notice error' : 'notice'}" dir="auto">${entry.text}</p>\n`;
    case 'compaction':
      return html`<div class="compaction"><span>${entry.text}</span></div>\n`;
    case 'summary':
      return html`<details class="quiet"><summary>Summary the model continued with</summary><div class="body">${markdown(entry.text)}</div></details>\n`;
    case 'context':
      return contextHtml(entry.items.filter(({ text, isAttachment }) => text !== '' && !isAttachment));
    case 'empty':
      return null;
    default:
      return entry satisfies never;
  }
}

/** Replaces "You", because the reader did not type the prompt. */
function promptHtml({ speaker, message, text, media, injected, branch }: EntryOf<'prompt'>): Html {
  const who = speaker.replace(/^You/, 'Prompt');
  const head = html`<div class="byline"><span class="who">${who}</span>${clock(message.timestamp)}</div>`;
  const added = injected.map(
    ({ label, text: body }) =>
      html`<details class="quiet"><summary>${label}</summary><div class="body">${code(body)}</div></details>`,
  );
  return html`${branchHtml(branch)}<section class="prompt">${[head, typedText(text), media.map(mediaHtml), added]}</section>\n`;
}

function branchHtml(branch: Branch | null): Html | null {
  return branch === null ? null : html`<p class="muted">${branchText(branch)}</p>\n`;
}

function answerHtml({ message, text, isCut, isNewSpeaker }: EntryOf<'answer'>): Html {
  const name = html`<span class="model">${shortModel(message.model)}</span>`;
  const head = isNewSpeaker ? html`<div class="byline">${name}${clock(message.timestamp)}</div>` : null;
  return html`<section class="answer">${head}${markdown(text)}${cutNote(isCut)}</section>\n`;
}

function thinkingHtml({ text, isCut }: EntryOf<'thinking'>): Html {
  if (text === '') return html`<p class="thinking">Thinking hidden by the model</p>\n`;
  return html`<details><summary><span class="thinking">Thinking</span></summary><div class="body">${markdown(text)}${cutNote(isCut)}</div></details>\n`;
}

function mediaHtml(text: string): Html {
  return html`<p class="media">${text}</p>\n`;
}

/** A run of messages that were not typed by a person: one muted line that expands. */
function contextHtml(items: readonly ContextItem[]): Html | null {
  if (items.length === 0) return null;
  return html`<details class="quiet"><summary>${[
    html`<span>${contextLabel(items)}</span>`,
    html`<bdi class="about">${contextAbout(items)}</bdi>`,
  ]}</summary><div class="body">${items.map(({ label, text }) => html`<p class="muted">${label}</p>${code(text)}`)}</div></details>\n`;
}

/** In UTC, so that all readers see the same time. */
export function clock(timestamp: string | null): Html | null {
  const time = formatTime(timestamp, 'UTC');
  return /^\d/.test(time) ? html`<time>${time} UTC</time>` : null;
}
