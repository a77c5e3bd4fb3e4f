import { fault } from './judge.ts';
import { commandOf, type RawSession } from './raw-session.ts';
import { callsOf, isRejected, isShell, type RawOutcome, statusOf, testOutcome } from './raw-shell.ts';

const PHRASE =
  /^(?<label>[^:]+(?::[\w:.-]+)?): (?<calls>[\d,]+) calls?(?:, (?<passed>[\d,]+) passed)?(?:, (?<failed>[\d,]+) failed)?(?:, the last (?<last>passed|failed)(?: \((?<number>[\d,]+) (?:tests?|failed)\))?)?$/;

/** `Tests: npm test: 3 calls, 2 passed, 1 failed, the last passed (32 tests); …` */
export function checkTests(sentence: string | undefined, raw: RawSession): readonly string[] {
  const phrases = sentence === undefined ? [] : sentence.slice('Tests: '.length).split('; ');
  return phrases.flatMap((phrase) => checkPhrase(phrase, raw));
}

/** The outcome of the last run of any test runner named in a narrative; null if unknown. */
export function lastOutcome(sentence: string | undefined, raw: RawSession): RawOutcome {
  const phrases = sentence === undefined ? [] : sentence.slice('Tests: '.length).split('; ');
  const labels = phrases.flatMap((phrase) => PHRASE.exec(phrase)?.groups?.['label'] ?? []);
  return byTime(labels.flatMap((label) => outcomesOf(label, raw))).at(-1)?.outcome ?? null;
}

const byTime = <T extends { readonly at: string }>(list: readonly T[]) =>
  list.toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));

function checkPhrase(phrase: string, raw: RawSession): readonly string[] {
  const groups = PHRASE.exec(phrase)?.groups;
  if (groups === undefined) return [`unknown words about tests: ${phrase}`];
  const outcomes = outcomesOf(groups['label'] ?? '', raw);
  const told = (name: string) => Number(groups[name]?.replaceAll(',', '') ?? 0);
  const really = (outcome: RawOutcome) => outcomes.filter((one) => one.outcome === outcome).length;
  const last = byTime(outcomes).at(-1);
  return [
    ...fault(told('calls') === outcomes.length, `${phrase}: really ${outcomes.length} calls`),
    ...fault(told('passed') === really('passed'), `${phrase}: really ${really('passed')} passed`),
    ...fault(told('failed') === really('failed'), `${phrase}: really ${really('failed')} failed`),
    ...fault((groups['last'] ?? null) === (last?.outcome ?? null), `${phrase}: really ${last?.outcome} at last`),
    ...fault(
      groups['number'] === undefined || last?.text.includes(String(told('number'))) === true,
      `${phrase}: no such number`,
    ),
  ];
}

/** Calls that only list tests or print a version. */
const LISTING = / --(?:collect-only|co|version|help|list|markers)\b/;

function outcomesOf(label: string, { calls }: RawSession) {
  return calls
    .filter(
      (call) => isShell(call) && statusOf(call) !== 'refused' && !isRejected(call) && !LISTING.test(commandOf(call)),
    )
    .flatMap((call) => {
      const [at] = callsOf(label, commandOf(call));
      return at === undefined ? [] : [{ at: call.at, outcome: testOutcome(call, at), text: call.result?.text ?? '' }];
    });
}
