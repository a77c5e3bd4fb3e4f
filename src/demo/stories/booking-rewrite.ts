import { VERSIONS } from '../client-version.ts';
import { createScribe, type Scribe } from '../scribe.ts';
import {
  ago,
  bash,
  type DemoFile,
  edit,
  HARBOUR,
  projectFolder,
  read,
  sessionId,
  transcriptFile,
  write,
} from '../story.ts';

/** Five days ago and again three days ago: a long change, compacted on the way, resumed with a newer client. */
export function bookingRewrite(now: Date): DemoFile[] {
  const id = sessionId('91d7ab35');
  const startedAt = ago(now, 5, 6);
  const scribe = createScribe({
    sessionId: id,
    cwd: HARBOUR,
    gitBranch: 'booking-v2',
    version: VERSIONS.recent,
    model: 'claude-sonnet-5-5',
    startedAt,
    contextTokens: 140_000,
  });
  begin(scribe);
  for (const part of PARTS) movePart(scribe, part);
  compact(scribe);
  scribe.call(bash({ command: 'npm test', about: 'Run everything', output: ' Tests  148 passed (148)', seconds: 31 }));
  scribe.answer({
    text: 'All five parts of the booking flow are in `src/booking/` now, and the 148 tests pass. The old `book.ts` is empty and can go.',
  });
  resume(scribe);
  return [transcriptFile(`${projectFolder(HARBOUR)}/${id}.jsonl`, scribe)];
}

function begin(scribe: Scribe): void {
  scribe.loose({ type: 'permission-mode', permissionMode: 'acceptEdits' });
  scribe.prompt(
    '`src/book.ts` has grown to 1,900 lines. Split it by the steps of a booking: search, hold, pay, confirm, cancel. One at a time, tests green after each.',
  );
  scribe.call(
    bash({
      command: 'wc -l src/book.ts && grep -n "^export function" src/book.ts',
      about: 'See how large it is',
      output:
        '1903 src/book.ts\n41:export function searchSailings\n388:export function holdSeats\n702:export function payForHold\n1190:export function confirmBooking\n1544:export function cancelBooking',
      say: 'Five exported functions, five files. I will move them in the order of a booking.',
    }),
  );
}

interface Part {
  readonly file: string;
  readonly act: string;
  readonly note: string;
}

const PARTS: readonly Part[] = [
  { file: 'search', act: 'searchSailings', note: 'Search first; it needs nothing from the others.' },
  { file: 'hold', act: 'holdSeats', note: 'Holding seats shares the clock with payment; I pass it in.' },
  {
    file: 'pay',
    act: 'payForHold',
    note: 'Payment next. The retry loop was copied in two places and is one function now.',
  },
  { file: 'confirm', act: 'confirmBooking', note: 'Confirmation sends the mail; the mailer becomes an argument.' },
  { file: 'cancel', act: 'cancelBooking', note: 'Cancelling last.' },
];

function movePart(scribe: Scribe, { file, act, note }: Part): void {
  const path = `${HARBOUR}/src/booking/${file}.ts`;
  scribe.call(
    read({
      path: `${HARBOUR}/src/book.ts`,
      content: `export function ${act}(request: Request, clock: Clock) {\n  // …\n}`,
      say: note,
    }),
  );
  scribe.call(
    write({
      path,
      content: `import type { Clock } from '../clock.ts';\n\n/** One step of a booking. */\nexport function ${act}(request: Request, clock: Clock) {\n  // …\n}\n`,
    }),
  );
  scribe.call(
    edit({
      path: `${HARBOUR}/src/book.ts`,
      before: `export function ${act}(request: Request, clock: Clock) {\n  // …\n}`,
      after: `export { ${act} } from './booking/${file}.ts';`,
    }),
  );
  scribe.call(
    bash({
      command: `npm test -- src/booking/${file}.test.ts`,
      about: `Test ${file}`,
      output: ` ✓ src/booking/${file}.test.ts (24 tests) 38ms`,
      seconds: 6,
    }),
  );
}

const SUMMARY = `This session is being continued from a previous conversation that ran out of context. The summary below covers the earlier portion of the conversation.

Summary:
1. Primary Request: split \`src/book.ts\` into \`src/booking/{search,hold,pay,confirm,cancel}.ts\`, one step at a time with green tests.
2. Done: all five moved; \`book.ts\` only re-exports.
3. Pending: run the whole suite, then ask whether \`book.ts\` may be deleted.`;

function compact(scribe: Scribe): void {
  scribe.wait(30);
  scribe.chained({
    type: 'system',
    subtype: 'compact_boundary',
    content: 'Conversation compacted',
    isMeta: false,
    level: 'info',
    compactMetadata: { trigger: 'auto', preTokens: 167_361, postTokens: 9_840, durationMs: 24_100 },
  });
  scribe.chained({
    type: 'user',
    message: { role: 'user', content: SUMMARY },
    isVisibleInTranscriptOnly: true,
    isCompactSummary: true,
  });
}

function resume(scribe: Scribe): void {
  scribe.wait(2 * 24 * 3_600 + 1_900);
  scribe.update({ version: VERSIONS.today });
  scribe.prompt('I am back. Delete `book.ts` and tell me who still imported it.');
  scribe.call(
    bash({
      command: 'grep -rln "from .*/book.ts" src test; git rm -q src/book.ts && npm test',
      about: 'Find importers, delete, test',
      output: 'src/server.ts\nsrc/admin/refunds.ts\n Tests  148 passed (148)',
      seconds: 33,
    }),
  );
  scribe.answer({
    text: 'Gone. `src/server.ts` and `src/admin/refunds.ts` imported it; both now import the steps they use. 148 tests pass.',
  });
  scribe.loose({ type: 'custom-title', customTitle: 'Split the booking flow' });
}
