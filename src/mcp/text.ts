import { formatCost, formatTime, shorten } from '../reading/format.ts';
import { titleOf } from '../reading/names.ts';

/** Text that several answers share. Answers are plain text: they cost the reader fewer tokens than JSON. */

/** One line of a text, without line breaks and runs of spaces. */
export function oneLine(text: string, maxChars: number): string {
  return shorten(text.replaceAll(/\s+/g, ' ').trim(), maxChars).toWellFormed();
}

const MAX_TITLE_CHARS = 120;

export function titleLine(session: { readonly title: string | null; readonly initial_prompt?: string | null }): string {
  const { title, initial_prompt = null } = session;
  return oneLine(titleOf({ title, initial_prompt }), MAX_TITLE_CHARS);
}

/** The facts that identify a session in a list. */
export function sessionFacts(session: {
  readonly id: string;
  readonly started_at: string;
  readonly workspace_name: string;
  readonly git_branch: string | null;
  readonly cost_estimate_usd: number | null;
}): string {
  const { id, started_at, workspace_name, git_branch, cost_estimate_usd } = session;
  return joinFacts(
    `session ${id}`,
    formatTime(started_at),
    workspace_name,
    git_branch === null ? '' : `branch ${git_branch}`,
    cost_estimate_usd === null ? '' : formatCost(cost_estimate_usd),
  );
}

export function joinFacts(...facts: readonly string[]): string {
  return facts.filter((fact) => fact !== '').join(' · ');
}

export function indent(text: string): string {
  return text
    .split('\n')
    .map((line) => (line === '' ? '' : `   ${line}`))
    .join('\n');
}

/** Answers show home folders as `~`, and requests may contain paths from answers. */
export function withoutHome(path: string): string {
  return path.replace(/^(?:~|\.)\/(?=.)/, '');
}
