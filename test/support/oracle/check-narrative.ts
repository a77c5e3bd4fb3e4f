import type { SessionRow } from '../../../src/api/sessions.ts';
import { checkCommands, checkFacts } from './check-facts.ts';
import { checkTests, lastOutcome } from './check-tests.ts';
import { fault, isExcerpt, lettersOf } from './judge.ts';
import { asText, commandOf, isLocal, type RawCall, type RawSession } from './raw-session.ts';
import { commitsOf, isRejected, isShell, type RawCommit, statusOf } from './raw-shell.ts';
import { type NarrativeParts, numberIn, quotesIn, readLead, readNarrative } from './read-narrative.ts';

/** The faults of a narrative; empty if every sentence is known and true. */
export function faultsOfNarrative(text: string, raw: RawSession): readonly string[] {
  const parts = readNarrative(text);
  if (parts === null) return [`unknown sentence in: ${text}`];
  return [
    ...checkLead(parts.lead, raw),
    ...checkPrompts(parts.prompts, raw),
    ...checkAnswer(parts.answer, raw),
    ...checkDecisions(parts, raw),
    ...checkReasoning(parts.reasoning, raw),
    ...checkEdited(parts.edited, raw),
    ...checkTests(parts.tests, raw),
    ...checkLastTest(parts, raw),
    ...checkCommits(parts, raw),
    ...checkCommands(parts.commands, raw),
    ...checkErrors(parts.errors, raw),
    ...checkOpen(parts.open, raw),
    ...checkFacts(parts, readLead(parts.lead)?.results ?? [], raw),
  ];
}

/** The faults of the figures in a list of sessions. */
export function faultsOfWork({ work }: Pick<SessionRow, 'work'>, raw: RawSession): readonly string[] {
  const commits = commitsOf(raw).made.filter(({ isAmend }) => !isAmend).length;
  return fault(work?.commits === commits, `${work?.commits} commits in the list, really ${commits}`);
}

function checkLastTest({ lead, tests, open }: NarrativeParts, raw: RawSession): readonly string[] {
  const outcome = lastOutcome(tests, raw);
  const told = / the last test run (passed|failed)/.exec(` ${lead.toLowerCase().replace(/“[^]*”/, '')}`)?.[1] ?? null;
  const isOpen = (open ?? '').includes('the last test run failed');
  return [
    ...fault(told === outcome, `the last test run ${told}, really ${outcome}`),
    ...fault(isOpen === (outcome === 'failed'), `open: the last test run failed is ${isOpen}, really ${outcome}`),
  ];
}

const GREETING = /^(?:hey|hi|hello|thanks?|thank you|ok(?:ay)?|yes|no|go|continue|test|commit|push)\b/i;

function checkLead(lead: string, raw: RawSession): readonly string[] {
  const read = readLead(lead);
  if (read === null) return [`unknown lead: ${lead}`];
  const { intro, quote, results } = read;
  const faults = results.flatMap((result) => checkResult(result, raw));
  if (intro === 'No prompts and no answers')
    faults.push(...fault(raw.prompts.length + raw.answers.length === 0, intro));
  if (quote === null) return [...faults, ...checkWithoutRequest(intro, raw)];
  const asks = intro.startsWith('A sub-agent') ? raw.agentPrompts : requestsOf(raw);
  const name = intro.startsWith('Scheduled') ? (text: string) => text.includes(`name="${quote}"`) : undefined;
  const at = asks.findIndex((text) => (name === undefined ? isExcerpt(quote, text) : name(text)));
  const skipped = asks.slice(0, at);
  const isEarly = skipped.every((text) => lettersOf(text).length < 3 || GREETING.test(text) || /^\s*[{[<]/.test(text));
  return [
    ...faults,
    ...fault(at >= 0 && isEarly, `${intro} “${quote}” is not the first request: ${asks[0]?.slice(0, 80)}`),
  ];
}

export function requestsOf({ asks }: RawSession): readonly string[] {
  return asks.filter(({ text, isCommand }) => !isCommand || !isLocal(text)).map(({ text }) => text);
}

function checkWithoutRequest(intro: string, raw: RawSession): readonly string[] {
  if (intro.startsWith('Only client commands')) {
    const commands = new Set(raw.asks.map(({ text }) => text.split(' ', 1)[0]));
    return fault(
      requestsOf(raw).length === 0 && (intro.match(/\/\S+?(?=[,. ]|$)/g) ?? []).every((one) => commands.has(one)),
      intro,
    );
  }
  if (intro === 'Only sub-agents worked in this session') return fault(raw.mainLines === 0, intro);
  if (intro === 'No prompts in this session') return fault(requestsOf(raw).length === 0, intro);
  return fault(
    requestsOf(raw).every((text) => lettersOf(text).length === 0),
    `a request is missing: ${requestsOf(raw)[0]}`,
  );
}

/** The call was executed: it was permitted and returned a result. */
const ran = (call: RawCall) =>
  !['pending', 'refused'].includes(statusOf(call)) &&
  !/^(?:<tool_use_error>|Permission prompt was aborted)/.test(call.result?.text ?? '');

function checkResult(result: string, raw: RawSession): readonly string[] {
  const is = (truth: number) => fault(numberIn(result) === truth, `${result}, really ${truth}`);
  const { made } = commitsOf(raw);
  if (/ files? edited /.test(result)) return checkFiles(result, raw);
  if (/ files? read$/.test(result)) return is(pathsOf(raw, READING).size);
  if (/ web lookups?$/.test(result))
    return is(
      raw.calls.filter(
        (call) =>
          call.name.startsWith('Web') &&
          statusOf(call) !== 'stopped' &&
          !['pending', 'refused'].includes(statusOf(call)),
      ).length,
    );
  if (/ commands? run$/.test(result)) return is(raw.calls.filter((call) => isShell(call) && ran(call)).length);
  if (/^[\d,]+ commits?$/.test(result)) return is(made.filter(({ isAmend }) => !isAmend).length);
  if (result === 'interrupted') return fault(raw.interruptions > 0, result);
  if (result === 'answered') return fault(raw.answers.length + raw.agentAnswers.length > 0, result);
  if (result === 'no answer') return fault(raw.answers.length === 0 || !raw.isAnswered, result);
  if (result === 'pushed')
    return fault(
      raw.calls.some((call) => isShell(call) && /\bpush\b/.test(commandOf(call))),
      result,
    );
  return [];
}

const EDITING = /^(?:Edit|Write|MultiEdit|NotebookEdit)$/;
const READING = /^(?:Read|NotebookRead)$/;

function pathsOf({ calls }: RawSession, names: RegExp): ReadonlySet<string> {
  const done = calls.filter((call) => names.test(call.name) && statusOf(call) === 'ok');
  return new Set(done.map(pathOf));
}

function pathOf({ input, result }: RawCall): string {
  return asText(result?.details?.['filePath'] ?? input['file_path'] ?? input['notebook_path']);
}

/** Some published transcripts use other file names in some of their lines. */
function isMoved({ calls }: RawSession): boolean {
  return calls.some((call) => {
    const path = call.input['file_path'];
    return EDITING.test(call.name) && typeof path === 'string' && statusOf(call) === 'ok' && pathOf(call) !== path;
  });
}

function checkFiles(result: string, raw: RawSession): readonly string[] {
  if (isMoved(raw)) return [];
  const written = pathsOf(raw, EDITING).size;
  return fault(numberIn(result) === written, `${result}, really ${written}`);
}

/** Added and removed lines of one file, from the patches written by the client. */
function linesOf({ calls }: RawSession, path: string): readonly [number, number] {
  let added = 0;
  let removed = 0;
  for (const call of calls) {
    if (!EDITING.test(call.name) || statusOf(call) !== 'ok' || pathOf(call) !== path) continue;
    const hunks = call.result?.details?.['structuredPatch'];
    if (!Array.isArray(hunks)) return [Number.NaN, Number.NaN];
    if (hunks.length === 0 && typeof call.input['content'] === 'string') {
      const lines = call.input['content'].split('\n');
      added += call.result?.details?.['type'] === 'create' ? lines.length - (lines.at(-1) === '' ? 1 : 0) : 0;
    }
    const lines = hunks.flatMap((hunk: { lines?: string[] }) => hunk.lines ?? []);
    added += lines.filter((line) => line.startsWith('+')).length;
    removed += lines.filter((line) => line.startsWith('-')).length;
  }
  return [added, removed];
}

function checkEdited(sentence: string | undefined, raw: RawSession): readonly string[] {
  if (isMoved(raw)) return [];
  const paths = [...pathsOf(raw, EDITING)];
  if (sentence === undefined) return fault(paths.length === 0, `files were edited: ${paths.join(', ')}`);
  const items = [...sentence.slice('Edited '.length).matchAll(/(.+?)(?: \(\+(\d+) −(\d+)\))?(?:, | and |$)/g)];
  return items.flatMap(([, name = '', added, removed]) => {
    if (/^[\d,]+ more$/.test(name))
      return fault(items.length - 1 + numberIn(name) === paths.length, `${name} of ${paths.length}`);
    const path = paths.find((one) => one.endsWith(name.replace(/^…/, '')));
    if (path === undefined) return [`no such file was edited: ${name}`];
    const [plus, minus] = linesOf(raw, path);
    if (added === undefined || Number.isNaN(plus)) return [];
    return fault(
      plus === Number(added) && minus === Number(removed),
      `${name} +${added} −${removed}, really +${plus} −${minus}`,
    );
  });
}

function checkPrompts(sentence: string | undefined, raw: RawSession): readonly string[] {
  const isOfCommand = raw.asks.find(({ text, isCommand }) => !isCommand || !isLocal(text))?.isCommand === true;
  if (sentence === undefined)
    return fault(
      raw.isRepeated || raw.prompts.length <= (isOfCommand ? 0 : 1),
      `${raw.prompts.length} prompts are not counted`,
    );
  const last = raw.prompts.at(-1) ?? '';
  const quote = /: “([^]*)”$/.exec(sentence)?.[1];
  const isLast = quote === undefined ? lettersOf(last).length === 0 : isExcerpt(quote, last);
  return [
    ...fault(raw.isRepeated || numberIn(sentence) === raw.prompts.length, `${sentence}, really ${raw.prompts.length}`),
    ...fault(isLast || (/^\s*</.test(last) && quote === undefined), `${sentence}, really ${last.slice(0, 200)}`),
  ];
}

function checkAnswer(sentence: string | undefined, raw: RawSession): readonly string[] {
  const answers = raw.mainLines > 0 && raw.answers.length > 0 ? raw.answers : raw.agentAnswers;
  const last = answers.at(-1) ?? '';
  if (sentence === undefined)
    return fault(raw.answers.length === 0 || lettersOf(last).length === 0, 'the last answer is missing');
  const quote = /“([^]*)”$/.exec(sentence)?.[1] ?? '';
  return fault(
    answers.length > 0 && isExcerpt(quote, raw.answers.length > 0 ? last : answers.join('\n')),
    `${sentence}, really ${last.slice(0, 300)}`,
  );
}

function checkDecisions({ decisions, plans }: NarrativeParts, raw: RawSession): readonly string[] {
  const answers = raw.calls
    .filter(({ name, result }) => name === 'AskUserQuestion' && result !== null && !result.isError)
    .flatMap(({ result }) => Object.entries((result?.details?.['answers'] ?? {}) as Record<string, unknown>));
  const pairs = [...(decisions ?? '').matchAll(/“([^]*?)” → “([^]*?)”(?=; |$)/g)];
  const verdicts = raw.calls.filter(
    ({ name, isMain, result }) => isMain && /^(?:ExitPlanMode|exit_plan_mode)$/.test(name) && result !== null,
  );
  const approved = verdicts.filter(({ result }) => result?.isError === false).length;
  const told = (word: string) => Number(new RegExp(`(\\d+) ${word}`).exec(plans ?? '')?.[1] ?? 0);
  const more = Number(/; ([\d,]+) more$/.exec(decisions ?? '')?.[1] ?? 0);
  return [
    ...pairs.flatMap(([pair, question = '', answer = '']) => {
      const isThere = answers.some(([asked, said]) => isExcerpt(question, asked) && isExcerpt(answer, String(said)));
      return fault(isThere, `nobody decided ${pair}`);
    }),
    ...fault(pairs.length + more === answers.length, `${pairs.length + more} decisions, really ${answers.length}`),
    ...fault(told('approved') === approved, `${plans}, really ${approved} approved`),
    ...fault(
      told('rejected') === verdicts.length - approved,
      `${plans}, really ${verdicts.length - approved} rejected`,
    ),
  ];
}

/** Quotations are verbatim, so the exact characters must be there. */
function checkReasoning(sentence: string | undefined, raw: RawSession): readonly string[] {
  return quotesIn(sentence ?? '').flatMap((quote) => {
    return fault(
      raw.modelTexts.some((text) => text.includes(quote)),
      `nobody wrote “${quote}”`,
    );
  });
}

function checkCommits({ commits, amended, unknown }: NarrativeParts, raw: RawSession): readonly string[] {
  const truth = commitsOf(raw);
  const check = (sentence: string | undefined, made: readonly RawCommit[]) => [
    ...fault((sentence === undefined ? 0 : numberIn(sentence)) === made.length, `${sentence}, really ${made.length}`),
    ...[...(sentence ?? '').matchAll(/\b([0-9a-f]{7}) “([^”]*)”/g)].flatMap(([, sha = '', subject = '']) => {
      const found = made.find((one) => one.sha?.startsWith(sha));
      return fault(found !== undefined && isExcerpt(subject, found.subject), `no commit ${sha} “${subject}”`);
    }),
  ];
  return [
    ...check(
      commits,
      truth.made.filter(({ isAmend }) => !isAmend),
    ),
    ...check(
      amended,
      truth.made.filter(({ isAmend }) => isAmend),
    ),
    ...fault((unknown === undefined ? 0 : numberIn(unknown)) === truth.unknown, `${unknown}, really ${truth.unknown}`),
  ];
}

function checkErrors(sentence: string | undefined, raw: RawSession): readonly string[] {
  const told = (pattern: RegExp) => Number(pattern.exec(sentence ?? '')?.[1]?.replaceAll(',', '') ?? 0);
  const count = (wanted: (call: RawCall) => boolean) => raw.calls.filter(wanted).length;
  const known = (sentence ?? 'Errors: ').slice('Errors: '.length).split('; ');
  const forms =
    /^$|^[\d,]+ commands? failed(?: \(.+\))?$|^[\d,]+ (?:other )?tool calls? failed \(.+\)$|^[\d,]+ tool calls? refused$|^API error .+$/;
  const failedShell = count((call) => isShell(call) && statusOf(call) === 'failed' && !isRejected(call));
  const failedTools = count((call) => statusOf(call) === 'failed' && (!isShell(call) || isRejected(call)));
  const refused = count((call) => statusOf(call) === 'refused');
  return [
    ...known.flatMap((one) => fault(forms.test(one), `unknown error: ${one}`)),
    ...checkCulprits(/commands? failed \((.+?)\)(?:; |$)/.exec(sentence ?? '')?.[1], failedShell),
    ...fault(told(/([\d,]+) commands? failed/) === failedShell, `${sentence}, really ${failedShell} commands failed`),
    ...fault(
      told(/([\d,]+) (?:other )?tool calls? failed/) === failedTools,
      `${sentence}, really ${failedTools} other calls failed`,
    ),
    ...fault(!/other tool calls? failed/.test(sentence ?? '') || failedShell > 0, `${sentence}, but no command failed`),
    // A call refused with Esc may also count as interrupted.
    ...fault(
      told(/([\d,]+) tool calls? refused/) <= refused &&
        told(/([\d,]+) tool calls? refused/) >= refused - raw.interruptions,
      `${sentence}, really ${refused} refused`,
    ),
    ...fault(
      sentence === undefined || !sentence.includes('API error') || raw.apiErrors > 0,
      `${sentence}, but there is none`,
    ),
  ];
}

/** `npm test 3 times, make and 2 more`: every failed command is counted once. */
function checkCulprits(list: string | undefined, failures: number): readonly string[] {
  if (list === undefined) return [];
  const counts = list.split(/, | and /).map((item) => {
    const [, times] = / ([\d,]+) times$/.exec(item) ?? /^([\d,]+) more$/.exec(item) ?? [];
    return times === undefined ? 1 : numberIn(times);
  });
  const sum = counts.reduce((total, n) => total + n, 0);
  return fault(sum === failures, `${list}: ${sum} failed commands, really ${failures}`);
}

function checkOpen(sentence: string | undefined, raw: RawSession): readonly string[] {
  const { last } = raw;
  const has = (text: string) => (sentence ?? '').includes(text);
  const isMain = raw.mainLines > 0;
  const question = /it ended with the question “([^]*?)”(?:$|;)/.exec(sentence ?? '')?.[1];
  const lastPlan = raw.calls.findLast(({ name }) => /^(?:ExitPlanMode|exit_plan_mode)$/.test(name));
  return [
    ...fault(
      has('it was interrupted at the end') === (isMain && last?.by === 'interruption'),
      `interrupted? ${sentence} ${last?.by}`,
    ),
    ...fault(
      !has('the last prompt has no answer') || (last?.by === 'person' && !raw.isAnswered),
      `no answer? ${sentence}`,
    ),
    ...fault(
      has('it ended with an API error') === (isMain && last?.by === 'error'),
      `API error? ${sentence} ${last?.by}`,
    ),
    ...fault(!has('a plan waits for approval') || lastPlan?.result === null, `no plan waits: ${sentence}`),
    ...fault(
      question === undefined || !isMain || (last?.by === 'model' && isExcerpt(question, last.text)),
      `question? ${sentence}`,
    ),
  ];
}
