const MAX_LINE_CHARS = 300;

const ADDED = /^agentId: \S+ \([^\n]*(?:\n(?:worktree\w+: [^\n]*|<usage>[^<]*<\/usage>))*\s*$/;

/** What a sub-agent answered, without what the client adds for the model: how to continue the agent, and its usage. */
export function agentAnswer(result: string): string {
  const at = result.lastIndexOf('\nagentId: ');
  return at >= 0 && ADDED.test(result.slice(at + 1)) ? result.slice(0, at).trimEnd() : result;
}

/** The last line of a text, cut to what a card has room for. */
export function lastLine(text: string): string {
  return (text.trimEnd().split('\n').at(-1) ?? '').trim().slice(0, MAX_LINE_CHARS).toWellFormed();
}
