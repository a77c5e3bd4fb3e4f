/** How a tool call ended, in words: calls that were denied say by whom. */

const DENIED_BY: Readonly<Record<string, string>> = {
  user: 'denied by the user',
  rule: 'denied by a rule',
  hook: 'blocked by a hook',
  auto_mode: 'denied by auto mode',
};

const STATES: Readonly<Record<string, string>> = {
  error: 'failed',
  denied: 'denied',
  interrupted: 'interrupted',
  pending: 'no result',
  background: 'in the background',
};

/** Empty for a call that simply succeeded. */
export function outcomeWords({ status, denial }: { readonly status: string; readonly denial: string | null }): string {
  if (status === 'denied' && denial !== null) return DENIED_BY[denial] ?? 'denied';
  return STATES[status] ?? '';
}
