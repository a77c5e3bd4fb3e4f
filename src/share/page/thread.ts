import { streamEntries } from '../../reading/entries.ts';
import { describeAgent, type SessionParts, type Subagent } from '../../reading/parts.ts';
import { entryHtml } from './entry-html.ts';
import { type Html, html } from './html.ts';
import type { RedactedReads } from './redacted-reads.ts';

export interface RenderContext {
  readonly reads: RedactedReads;
  readonly sessionId: string;
  readonly cwd: string | null;
  readonly parts: SessionParts;
  /** Sub-agents shown so far, so that none is shown twice or inside itself. */
  readonly shown: Set<string>;
}

/** One conversation, entry by entry, with sub-agents below the calls that started them. */
export async function* renderThread(context: RenderContext, agentId: string | null, depth = 0): AsyncGenerator<Html> {
  const { reads, sessionId, parts, cwd } = context;
  for await (const entry of streamEntries(reads.readThread(sessionId, agentId), { parts, cwd })) {
    const shown = entryHtml(entry);
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
  const { name, description, facts } = describeAgent(subagent);
  yield html`<details class="agent"><summary>${[
    html`<span class="name">${name}</span>`,
    html`<bdi class="about">${description}</bdi>`,
    html`<span class="mark">${facts}</span>`,
  ]}</summary>\n`;
  yield* renderThread(context, subagent.agent_id, depth + 1);
  yield html`</details>\n`;
}
