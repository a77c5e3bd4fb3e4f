import type { Clock, Summarizer } from '../domain/ports.ts';
import type { SummaryAnswer, SummaryInput, SummaryScope } from '../domain/summary.ts';
import { NANOS_PER_DOLLAR } from '../domain/usage.ts';
import type { Log } from '../lib/log.ts';
import type { Redactor } from '../redact/redact.ts';
import type { Engine } from '../store/engine.ts';
import type { SummaryRow } from '../store/queries/summaries/summaries.ts';
import {
  type Call,
  type CallLimits,
  type CallResult,
  findAnswer,
  finishCall,
  giveUp,
  reserveCall,
  reuseAnswer,
} from '../store/queries/summaries/summary-calls.ts';
import type { SummaryFacts } from '../store/queries/summaries/summary-facts.ts';
import { clearFailures, readPauseOf, saveFailure, takeProbe } from '../store/queries/summaries/summary-services.ts';
import {
  type AskPrompt,
  breakMs,
  checkAnswer,
  isWorthAsking,
  msUntilTomorrow,
  PROMPT_VERSION,
  REFUSED_PAUSE_MS,
  retryMs,
  writePrompt,
} from '../summary/ask-model.ts';
import { narrate } from '../summary/narrate.ts';
import type { priceUsage } from '../transcript/price/price-usage.ts';
import { collectSummaryInput } from './summarize-session.ts';

/** Everything an AI summary needs besides the session; its presence is the user's consent. */
export interface AiSummaries {
  readonly summarizer: Summarizer;
  readonly redactor: Redactor;
  readonly price: typeof priceUsage;
  readonly limits: CallLimits & { readonly maxInputTokens: number };
  /** Sessions are summarized only after nothing was written to them for this long (F15). */
  readonly quietMs: number;
  /** From 0 to 1; randomizes retry delays. */
  readonly random: () => number;
}

export interface AskDeps {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly log: Log;
  readonly ai: AiSummaries;
}

/** `stopped`: the service or the spending limit allows no further requests now. */
export type Asked = 'made' | 'waiting' | 'given_up' | 'stopped';

/** A request is claimed for longer than it can take; after a crash it is repeated when the claim expires. */
const CLAIM_MS = 3 * 60_000;
const PROBE_MS = 2 * 60_000;
const MAX_BAD_ANSWERS = 3;

/** The keys under which the service and our own spending limit can be paused. */
export function pauseKeysOf({ summarizer, limits }: AiSummaries): readonly string[] {
  return [summarizer.service, limitKeyOf(limits)];
}

/** The key contains the limit, so that raising it takes effect immediately. */
function limitKeyOf({ maxNanosPerDay }: CallLimits): string {
  return `ceiling ${maxNanosPerDay}`;
}

/** Gets a summary of one scope from the model: from a stored answer or with one call. */
export async function askForSummary(
  deps: AskDeps,
  facts: SummaryFacts,
  scope: SummaryScope,
  row: SummaryRow | undefined,
): Promise<Asked> {
  const { ai, engine } = deps;
  const { kysely } = engine;
  const input = ai.redactor.json((await collectSummaryInput(kysely, facts, scope)) as never)
    .value as unknown as SummaryInput;
  const prompt = writePrompt(input, narrate(input).sections, ai.limits.maxInputTokens);
  const call = {
    sessionId: facts.session.id,
    agentId: scope.key,
    rowsVersion: facts.session.rowsVersion,
    promptVersion: PROMPT_VERSION,
    model: ai.summarizer.model,
    inputSha256: prompt.sha256,
  };
  const known = await findAnswer(kysely, call);
  if (known !== null) {
    await reuseAnswer(kysely, call, known, nowOf(deps));
    return 'made';
  }
  const hasGivenUp = row?.state === 'given_up' && row.inputSha256 === prompt.sha256;
  if (hasGivenUp || !isWorthAsking(input)) {
    await giveUp(kysely, call, hasGivenUp ? (row.error ?? '') : 'there is not enough to summarize');
    return 'given_up';
  }
  return askOnce(deps, call, prompt, row?.inputSha256 === prompt.sha256 ? row : undefined);
}

async function askOnce(
  deps: AskDeps,
  question: Omit<Call, 'day' | 'reservedNanos'>,
  prompt: AskPrompt,
  before: SummaryRow | undefined,
): Promise<Asked> {
  const { engine, clock, ai } = deps;
  const reservedNanos = maxCostOf(ai, prompt);
  if (reservedNanos === null) return stopForUnknownPrice(deps);
  const now = clock.now();
  const call: Call = { ...question, reservedNanos, day: now.toISOString().slice(0, 10) };
  if (!(await isOurTurn(deps))) return 'stopped';
  const claimedUntil = new Date(now.getTime() + CLAIM_MS).toISOString();
  const reservation = await reserveCall(engine, call, ai.limits, { now: now.toISOString(), claimedUntil });
  if (reservation === 'taken') return 'waiting';
  if (reservation === 'day_full') return stopForToday(deps);
  if (reservation === 'session_full') {
    await giveUp(engine.kysely, call, 'the cost limit per session is reached');
    return 'given_up';
  }
  return settle(deps, call, prompt, before, await ai.summarizer.ask(prompt.request));
}

/** Upper bound of the cost of a call: a token is at least one byte. Null when the price of the model is unknown. */
function maxCostOf({ summarizer, price }: AiSummaries, { request }: AskPrompt): number | null {
  const FRAME_TOKENS = 200;
  const bytes = Buffer.byteLength(request.system) + Buffer.byteLength(request.text);
  return costOf(price, summarizer.model, bytes + FRAME_TOKENS, summarizer.maxOutputTokens);
}

function costOf(price: AiSummaries['price'], model: string, input: number, output: number): number | null {
  const nothing = { cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, webSearches: 0, webFetches: 0 };
  const unsaid = { thinkingTokens: null, serviceTier: null, speed: null, inferenceGeo: null };
  return price(model, { input, output, ...nothing, ...unsaid }, null)?.costNanos ?? null;
}

/** While a service is failing, only one process at a time probes whether it is back. */
async function isOurTurn({ engine, clock, ai }: AskDeps): Promise<boolean> {
  const nowMs = clock.now().getTime();
  const failure = await readPauseOf(engine.kysely, ai.summarizer.service);
  if (failure === null) return true;
  if (Date.parse(failure.pausedUntil) > nowMs) return false;
  const probeMs = failure.why === 'refused' ? REFUSED_PAUSE_MS : PROBE_MS;
  return takeProbe(engine.kysely, failure, new Date(nowMs + probeMs).toISOString());
}

async function stopForToday(deps: AskDeps): Promise<Asked> {
  const { limits } = deps.ai;
  const nowMs = deps.clock.now().getTime();
  const ceiling = `$${limits.maxNanosPerDay / NANOS_PER_DOLLAR}`;
  await pause(
    deps,
    {
      service: limitKeyOf(limits),
      why: `ceiling ${new Date(nowMs).toISOString().slice(0, 10)}`,
      notice: `AI summaries reached the daily limit of ${ceiling} (UTC) and resume tomorrow.`,
    },
    () => msUntilTomorrow(nowMs),
  );
  return 'stopped';
}

async function stopForUnknownPrice(deps: AskDeps): Promise<Asked> {
  const { service, model } = deps.ai.summarizer;
  const notice = `The price of ${model} is unknown, so the cost limit for AI summaries cannot be enforced. Add it to prices.json or choose another summaryModel.`;
  await pause(deps, { service, why: 'unpriced', notice }, () => REFUSED_PAUSE_MS);
  return 'stopped';
}

/** All processes that share the store respect the pause; the first one logs it. */
async function pause(
  { engine, clock, log }: AskDeps,
  failure: { readonly service: string; readonly why: string; readonly notice: string },
  pauseMs: (failures: number) => number,
): Promise<void> {
  const isNew = await saveFailure(engine, { ...failure, nowMs: clock.now().getTime() }, pauseMs);
  if (isNew) log.warn(failure.notice);
}

async function settle(
  deps: AskDeps,
  call: Call,
  prompt: AskPrompt,
  before: SummaryRow | undefined,
  answer: SummaryAnswer,
): Promise<Asked> {
  const { ai, engine } = deps;
  if (answer.kind === 'failed') return settleFailure(deps, call, before, answer);
  const checked = checkAnswer(ai.redactor.text(answer.text).value, prompt.mark);
  const badAnswers = (before?.badAnswers ?? 0) + 1;
  const result: CallResult =
    'text' in checked
      ? { kind: 'made', text: checked.text, tokensIn: answer.tokensIn, tokensOut: answer.tokensOut }
      : badAnswers >= MAX_BAD_ANSWERS
        ? { kind: 'given_up', error: checked.fault }
        : { kind: 'waiting', nextTryAt: later(deps, badAnswers, null), error: checked.fault, isBadAnswer: true };
  const costNanos =
    answer.tokensIn === null || answer.tokensOut === null
      ? call.reservedNanos
      : (costOf(ai.price, call.model, answer.tokensIn, answer.tokensOut) ?? call.reservedNanos);
  await engine.transaction(async (tx) => {
    await finishCall(tx, call, { costNanos, result, now: nowOf(deps) });
    await clearFailures(tx, ai.summarizer.service);
  });
  return result.kind;
}

async function settleFailure(
  deps: AskDeps,
  call: Call,
  before: SummaryRow | undefined,
  { why, message, retryAfterMs }: Extract<SummaryAnswer, { kind: 'failed' }>,
): Promise<Asked> {
  const { engine, ai } = deps;
  // A lost answer may have been billed, so its full reservation is counted.
  const costNanos = why === 'lost' ? call.reservedNanos : 0;
  const isHopeless = why === 'rejected' && (before?.attempts ?? 0) + 1 >= MAX_BAD_ANSWERS;
  const result: CallResult = isHopeless
    ? { kind: 'given_up', error: message }
    : {
        kind: 'waiting',
        nextTryAt: later(deps, (before?.attempts ?? 0) + 1, retryAfterMs),
        error: message,
        isBadAnswer: false,
      };
  await engine.transaction((tx) => finishCall(tx, call, { costNanos, result, now: nowOf(deps) }));
  await pause(deps, { service: ai.summarizer.service, why, notice: noticeOf(why, message) }, (failures) =>
    why === 'refused' ? REFUSED_PAUSE_MS : breakMs(failures, retryAfterMs),
  );
  return result.kind;
}

function noticeOf(why: 'refused' | 'busy' | 'lost' | 'rejected', message: string): string {
  if (why === 'refused') {
    return `AI summaries are paused for an hour: the API rejected the key, URL or model (${message}). Check anthropicApiKey, summaryBaseUrl and summaryModel.`;
  }
  return `AI summaries are paused: the API ${why === 'rejected' ? 'rejects the requests' : 'is not responding'} (${message}).`;
}

function later({ clock, ai }: AskDeps, attempts: number, retryAfterMs: number | null): string {
  return new Date(clock.now().getTime() + retryMs(attempts, retryAfterMs, ai.random)).toISOString();
}

function nowOf({ clock }: AskDeps): string {
  return clock.now().toISOString();
}
