import type { BlockRow } from '../api/answers/transcript.ts';

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

/** The same for a block and the result that is shown with it, which says less than the parser knows. */
export function callOutcome(
  call: Pick<BlockRow, 'call_status' | 'call_denial'>,
  result: { readonly is_error: boolean | null } | null,
): { readonly words: string; readonly isFailure: boolean } {
  const isError = result?.is_error === true;
  const status = call.call_status ?? (result === null ? 'pending' : isError ? 'error' : 'ok');
  return { words: outcomeWords({ status, denial: call.call_denial }), isFailure: isError || status === 'error' };
}

/** Empty for a call that simply succeeded. */
export function outcomeWords({ status, denial }: { readonly status: string; readonly denial: string | null }): string {
  if (status === 'denied' && denial !== null) return DENIED_BY[denial] ?? 'denied';
  return STATES[status] ?? '';
}
