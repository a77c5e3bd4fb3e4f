import { type Diff, type DiffLine, MAX_SHARED_DIFF_LINES } from '../../reading/diff.ts';
import { streamEntries } from '../../reading/entries.ts';
import {
  type ContextItem,
  contextAbout,
  contextLabel,
  type Entry,
  type EntryOf,
  isFromAgent,
} from '../../reading/entry.ts';
import { plural, shortModel } from '../../reading/format.ts';
import type { Media } from '../../reading/media.ts';
import { type Branch, branchText, describeAgent, type SessionParts, type Subagent } from '../../reading/parts.ts';
import { type Span, WHOLE } from '../../reading/read-messages.ts';
import { utcTime } from '../../reading/shown-session.ts';
import { diffOf, markOf, type ToolCall, type ToolResult, viewOf } from '../../reading/tool-call.ts';
import { viewText } from '../../reading/view-text.ts';
import { code, type Html, html, markdown, typedText } from './html.ts';
import type { PageImages } from './images.ts';
import type { RedactedQueries } from './redacted-queries.ts';

export interface RenderContext {
  readonly queries: RedactedQueries;
  readonly sessionId: string;
  readonly cwd: string | null;
  readonly parts: SessionParts;
  /** The part of the main conversation to show. */
  readonly span: Span;
  readonly images: PageImages;
  /** Sub-agents shown so far, so that none is shown twice or inside itself. */
  readonly shown: Set<string>;
}

/** One conversation, entry by entry, with sub-agents below the calls that started them. */
export async function* renderThread(context: RenderContext, agentId: string | null, depth = 0): AsyncGenerator<Html> {
  const { queries, sessionId, parts, cwd, images } = context;
  const span = agentId === null ? context.span : WHOLE;
  const messages = queries.readThread(sessionId, agentId, span.from);
  for await (const entry of streamEntries(messages, { parts, cwd })) {
    // By now some messages after the span were read, which have the results of its calls.
    if (entry.message.ordinal >= span.to) return;
    const shown = await entryHtml(images, entry);
    if (shown !== null) yield shown;
    if (entry.kind !== 'tool') continue;
    for (const subagent of entry.call.subagents) yield* renderSubagent(context, subagent, depth);
  }
}

/** Sub-agents nested more deeply are shown at the end of the page. */
const MAX_DEPTH = 6;

/** The whole work of a sub-agent, initially collapsed. */
export async function* renderSubagent(context: RenderContext, subagent: Subagent, depth: number): AsyncGenerator<Html> {
  if (context.shown.has(subagent.agent_id) || depth >= MAX_DEPTH) return;
  context.shown.add(subagent.agent_id);
  const { name, description, facts, state } = describeAgent(subagent);
  yield html`<details class="agent"><summary>${[
    html`<span class="name">${name}</span>`,
    html`<bdi class="about">${description}</bdi>`,
    html`<span class="mark">${[state, facts].filter((part) => part !== '').join(' · ')}</span>`,
  ]}</summary>\n`;
  yield* renderThread(context, subagent.agent_id, depth + 1);
  yield html`</details>\n`;
}

/** An entry as HTML; null if it has nothing to show to others. */
async function entryHtml(images: PageImages, entry: Entry): Promise<Html | null> {
  switch (entry.kind) {
    case 'prompt':
      return promptHtml(images, entry);
    case 'command':
      return html`${branchHtml(entry.branch)}<p class="command"><code>${entry.text}</code>${clock(entry.message.timestamp)}</p>\n`;
    case 'answer':
      return answerHtml(entry);
    case 'thinking':
      return thinkingHtml(entry);
    case 'tool':
      return toolHtml(images, entry.call);
    case 'result':
      return resultHtml(images, entry.result);
    case 'media':
      return mediaHtml(images, entry.media);
    case 'notice':
      return html`<p class="${entry.isError ? 'notice error' : 'notice'}" dir="auto">${entry.text}</p>\n`;
    case 'compaction':
      return html`<div class="compaction"><span>${entry.text}</span></div>\n`;
    case 'summary':
      return html`<details class="quiet"><summary>${entry.label}</summary><div class="body">${markdown(entry.text)}</div></details>\n`;
    case 'context':
      return contextHtml(entry.items.filter(({ text, isAttachment }) => text !== '' && !isAttachment));
    case 'empty':
      return null;
    default:
      return entry satisfies never;
  }
}

/** Replaces "You", because the reader did not type the prompt. */
async function promptHtml(
  images: PageImages,
  { speaker, message, text, media, injected, branch }: EntryOf<'prompt'>,
): Promise<Html> {
  const who = speaker.replace(/^You/, 'Prompt');
  const head = html`<div class="byline"><span class="who">${who}</span>${clock(message.timestamp)}</div>`;
  const extras = injected.map(
    ({ label, text: extra }) =>
      html`<details class="quiet"><summary>${label}</summary><div class="body">${code(extra)}</div></details>`,
  );
  const body = isFromAgent(message.origin) ? markdown(text) : typedText(text);
  return html`${branchHtml(branch)}<section class="prompt">${[head, body, await allMedia(images, media), extras]}</section>\n`;
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
  return html`<details><summary><span class="thinking">Thinking</span></summary><div class="body">${markdown(text)}${cutNote(isCut)}</div></details>\n`;
}

async function mediaHtml(images: PageImages, media: Media): Promise<Html> {
  const image = await images.load(media);
  if (image === null) return html`<p class="media">${media.text}</p>\n`;
  if ('why' in image) return html`<p class="media">${media.text} ${image.why}</p>\n`;
  return html`<p class="media"><img class="image" alt="${media.text}" src="${image.url}"></p>\n`;
}

/** One after the other, so that only one image is in memory. */
async function allMedia(images: PageImages, media: readonly Media[]): Promise<readonly Html[]> {
  const shown: Html[] = [];
  for (const each of media) shown.push(await mediaHtml(images, each));
  return shown;
}

/** A run of messages that were not typed by a person: one muted line that expands. */
function contextHtml(items: readonly ContextItem[]): Html | null {
  if (items.length === 0) return null;
  return html`<details class="quiet"><summary>${[
    html`<span>${contextLabel(items)}</span>`,
    html`<bdi class="about">${contextAbout(items)}</bdi>`,
  ]}</summary><div class="body">${items.map(({ label, text }) => html`<p class="muted">${label}</p>${code(text)}`)}</div></details>\n`;
}

function clock(timestamp: string | null): Html | null {
  const time = utcTime(timestamp);
  return time === null ? null : html`<time>${time}</time>`;
}

/** A call as one line that expands. */
async function toolHtml(images: PageImages, call: ToolCall): Promise<Html> {
  const mark = markOf(call);
  return html`<details class="${call.outcome.isError ? 'tool bad' : 'tool'}"><summary>${[
    html`<span class="name">${call.name}</span>`,
    html`<bdi class="about">${call.about}</bdi>`,
    mark === '' ? null : html`<span class="mark">${mark}</span>`,
  ]}</summary><div class="body">${[inputHtml(call), call.result === null ? null : await outputHtml(images, call.result)]}</div></details>\n`;
}

/** A result whose call is not part of the view. */
async function resultHtml(images: PageImages, result: ToolResult): Promise<Html> {
  return html`<details class="tool"><summary><span class="name">Result without its call</span></summary><div class="body">${await outputHtml(images, result)}</div></details>\n`;
}

function inputHtml(call: ToolCall): Html | null {
  const diff = diffOf(call);
  if (diff !== null) return diffHtml(diff);
  const text = viewText(viewOf(call));
  return text === '' ? null : code(text);
}

const CLASSES = { '+': 'added', '-': 'removed', ' ': 'same', '…': 'same' } as const;

function diffHtml({ lines }: Diff): Html {
  const rest = lines.length - MAX_SHARED_DIFF_LINES;
  const shown = lines.slice(0, MAX_SHARED_DIFF_LINES).map(lineHtml);
  return html`<pre class="code diff">${shown}${rest > 0 ? `… ${plural(rest, 'more line')}` : null}</pre>`;
}

function lineHtml({ mark, text, parts }: DiffLine): Html {
  const words = parts?.map((part) => (part.isChanged ? html`<strong>${part.text}</strong>` : html`${part.text}`));
  return html`<span class="${CLASSES[mark]}">${`${mark} `}${words ?? text}</span>`;
}

async function outputHtml(images: PageImages, { text, isError, isCut, media }: ToolResult): Promise<Html> {
  const pictures = await allMedia(images, media);
  if (text === '') return pictures.length > 0 ? html`${pictures}` : html`<p class="muted">No output.</p>`;
  const shown = html`<pre class="${isError ? 'code output failed' : 'code output'}" dir="auto">${text}</pre>`;
  return html`${shown}${cutNote(isCut)}${pictures}`;
}

/** Rows hold a limited amount of text; the archive has all of it. */
function cutNote(isCut: boolean): Html | null {
  return isCut ? html`<p class="muted">The rest of this text is omitted.</p>` : null;
}
