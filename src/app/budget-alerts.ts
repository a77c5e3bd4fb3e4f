import { execFile } from 'node:child_process';
import type { BudgetStatus } from '../api/budgets.ts';
import type { Config } from '../config.ts';
import { type BudgetMark, markOf } from '../domain/budget.ts';
import { SECOND_MS } from '../domain/durations.ts';
import { FuelError } from '../domain/errors.ts';
import type { Clock } from '../domain/ports.ts';
import { isUnencrypted } from '../domain/requests.ts';
import { systemTimezone } from '../lib/calendar.ts';
import type { Log } from '../lib/log.ts';
import type { Engine } from '../store/engine.ts';
import { type BudgetAlert, claimAlert, markAlertSent } from '../store/queries/people/budgets.ts';
import { readBudgets } from '../store/queries/usage/budget-use.ts';
import { openRedactor } from './outbound.ts';

type AlertConfig = Pick<Config, 'budgetWebhook' | 'budgetCommand' | 'redact'>;

/** The payload of an alert. Its only external text is the name of the workspace, which is redacted. */
interface AlertMessage {
  readonly version: 1;
  readonly event: 'budget_alert';
  readonly is_sample: boolean;
  readonly at: string;
  readonly percent: BudgetMark;
  readonly period: BudgetStatus['period'];
  readonly first_day: string;
  readonly last_day: string;
  readonly workspace: string | null;
  readonly amount_usd: number;
  readonly spent_usd: number;
}

interface AlertDeps {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Reports budgets that have reached 80% or 100%, once per period. A receiver that fails never fails the import: it is
 * logged, and tried again after later imports, three times in all.
 */
export async function reportBudgets({ engine, clock, log }: AlertDeps, config: Config): Promise<void> {
  const now = clock.now();
  for (const budget of await readBudgets(engine.kysely, { timezone: systemTimezone(), now })) {
    const percent = markOf(budget.spent_nanos, budget.amount_nanos);
    if (percent === null) continue;
    const alert: BudgetAlert = { budgetId: budget.id, firstDay: budget.first_day, percent };
    if (!(await engine.transaction((tx) => claimAlert(tx, alert, now)))) continue;
    try {
      await send(config, toMessage(config, budget, percent, { now, isSample: false }));
      await markAlertSent(engine.kysely, alert, now.toISOString());
    } catch (error) {
      if (!(error instanceof FuelError)) throw error;
      log.warn('a budget alert could not be sent', { error: error.message });
    }
  }
}

/** Sends an alert about a sample budget; returns the names of the receivers. Errors: usage without one, bad_config, unreachable. */
export async function sendSampleAlert(config: Config, now: Date): Promise<readonly string[]> {
  const receivers = receiversOf(config).map(({ name }) => name);
  if (receivers.length === 0) {
    throw new FuelError('usage', 'Neither budgetWebhook nor budgetCommand is set.', {
      hint: 'For example: fuel-code config set budgetWebhook https://example.org/hook',
    });
  }
  const day = now.toISOString().slice(0, 'yyyy-mm-dd'.length);
  const budget = {
    period: 'day',
    first_day: day,
    last_day: day,
    workspace: null,
    amount_usd: 20,
    spent_usd: 16,
  } as const;
  await send(config, toMessage(config, budget, 80, { now, isSample: true }));
  return receivers;
}

function toMessage(
  { redact }: AlertConfig,
  budget: Pick<BudgetStatus, 'period' | 'first_day' | 'last_day' | 'workspace' | 'amount_usd' | 'spent_usd'>,
  percent: BudgetMark,
  { now, isSample }: { readonly now: Date; readonly isSample: boolean },
): AlertMessage {
  const { period, first_day, last_day, workspace, amount_usd, spent_usd } = budget;
  return {
    version: 1,
    event: 'budget_alert',
    is_sample: isSample,
    at: now.toISOString(),
    percent,
    period,
    first_day,
    last_day,
    workspace: workspace === null ? null : openRedactor({ redact }).text(workspace).value,
    amount_usd,
    spent_usd,
  };
}

interface Receiver {
  readonly name: 'budgetWebhook' | 'budgetCommand';
  send(body: string): Promise<void>;
}

function receiversOf({ budgetWebhook, budgetCommand }: AlertConfig): readonly Receiver[] {
  return [
    ...(budgetWebhook === null
      ? []
      : [{ name: 'budgetWebhook', send: (body: string) => post(budgetWebhook, body) } as const]),
    ...(budgetCommand === null
      ? []
      : [{ name: 'budgetCommand', send: (body: string) => run(budgetCommand, body) } as const]),
  ];
}

/** All receivers get it, even if one fails. Errors: those of the first that failed. */
async function send(config: AlertConfig, message: AlertMessage): Promise<void> {
  const body = `${JSON.stringify(message)}\n`;
  const results = await Promise.allSettled(receiversOf(config).map((receiver) => receiver.send(body)));
  const failed = results.find((result) => result.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

const MAX_SEND_MS = 5 * SECOND_MS;

/** Redirects are not followed: they could lead to another host. Errors: bad_config, unreachable. */
async function post(url: string, body: string): Promise<void> {
  if (isUnencrypted(url)) {
    throw new FuelError('bad_config', 'budgetWebhook must use https, or http on this machine.', {
      hint: 'Nothing was sent. Change it with `fuel-code config set budgetWebhook URL`.',
    });
  }
  const headers = { 'content-type': 'application/json', 'user-agent': 'fuel-code' };
  let status: number;
  try {
    const signal = AbortSignal.timeout(MAX_SEND_MS);
    const response = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal });
    await response.body?.cancel();
    ({ status } = response);
  } catch (cause) {
    // The URL often contains a key, so no message repeats it.
    throw new FuelError('unreachable', 'budgetWebhook did not answer.', { cause });
  }
  if (status < 200 || status > 299) throw new FuelError('unreachable', `budgetWebhook answered with ${status}.`);
}

/** Starts the program itself, without a shell and without arguments. Errors: unreachable. */
async function run(program: string, body: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const child = execFile(program, [], { timeout: MAX_SEND_MS, killSignal: 'SIGKILL' }, (cause) => {
      if (cause === null) resolve();
      else reject(new FuelError('unreachable', `budgetCommand failed: ${reasonOf(cause)}.`, { cause }));
    });
    // A program that does not read its input is not an error.
    child.stdin?.on('error', () => {});
    child.stdin?.end(body);
  });
}

function reasonOf({ code, killed }: { readonly code?: unknown; readonly killed?: boolean | undefined }): string {
  if (killed === true) return `it took more than ${MAX_SEND_MS / SECOND_MS} seconds`;
  return typeof code === 'number' ? `exit code ${code}` : `it could not be started (${String(code)})`;
}
