import { HARBOUR, LEDGER, LIGHTHOUSE, STARS } from '../story.ts';

/** A piece of everyday work: what was asked, where, and what was said at the end. */
export interface Task {
  readonly cwd: string;
  readonly branch: string;
  readonly file: string;
  readonly prompt: string;
  readonly followUp: string;
  readonly done: string;
  readonly commit: string;
}

type Row = readonly [branch: string, file: string, prompt: string, followUp: string, done: string, commit: string];

function tasks(cwd: string, rows: readonly Row[]): readonly Task[] {
  return rows.map(([branch, file, prompt, followUp, done, commit]) => ({
    cwd,
    branch,
    file,
    prompt,
    followUp,
    done,
    commit,
  }));
}

// biome-ignore format: a table is easier to read than a list of lists
const ALL: readonly (readonly Task[])[] = [
  tasks(HARBOUR, [
    ['main', 'src/fares.ts', 'Children under four travel free, but the fare page charges them. Why?', 'Add a test for a child who turns four on the day of travel.', 'The age was computed from the booking date; now it is the date of travel.', 'fix: children under four travel free'],
    ['main', 'src/weather.ts', 'Cache the wind forecast; we ask for it on every page view.', 'How long may it be stale before the captain complains?', 'Forecasts are kept for ten minutes, per harbour.', 'perf: cache the wind forecast'],
    ['booking-v2', 'src/booking/hold.ts', 'Holds are released five minutes too early when two browsers book the same cabin.', 'Write down what you found in docs/holds.md.', 'The second hold reset the timer of the first one. Each has its own now.', 'fix: a hold keeps its own timer'],
    ['booking-v2', 'src/booking/pay.ts', 'Show the last four digits of the card on the receipt.', 'And not in the logs, please. Check that.', 'Receipts show them; the logger masks them, with a test.', 'feat: last digits of the card on receipts'],
    ['main', 'src/islands.ts', 'Two islands share the code "NOR". Find out which tickets went to the wrong one.', 'Make codes unique in the database too.', 'Eleven tickets in March. Codes are unique now, and the import refuses duplicates.', 'fix: refuse islands with the same code'],
    ['accessible-seats', 'src/seats.ts', 'Let people choose a seat near the lift.', 'Does the keyboard work in the seat map?', 'Seats near the lift are marked and come first; arrow keys move through the map.', 'feat: seats near the lift'],
    ['main', 'src/mail.ts', 'Confirmation mails show times in UTC. Use the time of the harbour.', 'What about crossings over midnight?', 'Both ends have their own zone; a crossing over midnight says “next day”.', 'fix: harbour time in confirmation mails'],
  ]),
  tasks(LEDGER, [
    ['main', 'ledger/tax.py', 'The tax report rounds per line. It must round per invoice.', 'Which reports of this year change?', 'Three reports change, by one cent each. They are listed in the pull request.', 'fix: round tax per invoice'],
    ['main', 'ledger/stock.py', 'Stock goes below zero when two orders arrive together. Lock it.', 'Show me a test that fails without the lock.', 'Orders lock the row of the tea; the test runs fifty of them at once.', 'fix: lock the stock of a tea'],
    ['suppliers', 'ledger/suppliers.py', 'Import the price list of the new supplier in Uji.', 'Their prices are per 100 g, ours per kilogram.', 'Imported 48 teas, converted to kilograms; two without a price are reported.', 'feat: price list of the supplier in Uji'],
    ['main', 'ledger/cli.py', '`ledger report` takes 40 seconds. Find out where the time goes.', 'Try it without the ORM for the totals.', 'It asked once per invoice line. One query now: 0.9 seconds.', 'perf: totals of a report in one query'],
    ['suppliers', 'ledger/orders.py', 'Suggest what to order: less than three weeks of stock left.', 'Ignore seasonal teas.', 'The suggestion uses the median of eight weeks and skips seasonal teas.', 'feat: suggest orders'],
    ['main', 'ledger/backup.py', 'Are our backups any good? Restore last night’s into a scratch database.', 'Automate that check, weekly.', 'The backup restores. A weekly job does it now and reports the number of rows.', 'feat: weekly test of the backup'],
  ]),
  tasks(STARS, [
    ['main', 'src/project.rs', 'Stars near the pole are drawn twice. Look at the projection.', 'Draw the pole in the golden test too.', 'The seam at 360° was inclusive on both sides.', 'fix: stars at the seam are drawn once'],
    ['feature/planets', 'src/planets.rs', 'Add the planets, without a dependency if it fits into 200 lines.', 'How accurate is it in 2050?', '180 lines; within two arc minutes until 2100, checked against an almanac.', 'feat: planets'],
    ['feature/planets', 'src/label.rs', 'Labels of planets overlap with those of stars.', 'Prefer the planet.', 'Labels are placed by brightness, planets first; the rest move or are left out.', 'feat: labels avoid each other'],
    ['main', 'src/svg.rs', 'The SVG has 9 MB. Can it be smaller without looking worse?', 'Check that Inkscape still opens it.', '1.3 MB: symbols for dots, coordinates with two digits.', 'perf: smaller drawings'],
    ['main', 'Cargo.toml', 'Update the dependencies and tell me what could break.', 'Pin the one that changed its license.', 'Seven updates; one has a new license and stays pinned.', 'build: update dependencies'],
  ]),
  tasks(LIGHTHOUSE, [
    ['main', 'firmware/lamp.c', 'The lamp flickers at dusk. Add hysteresis to the light sensor.', 'What if the sensor is covered by snow?', 'Two thresholds, five minutes apart; without readings the lamp stays on.', 'fix: no flicker at dusk'],
    ['main', 'firmware/power.c', 'Estimate how long the battery lasts in December.', 'Log it once a day so that we can compare.', 'About 61 hours without sun. The estimate is logged at noon.', 'feat: log the battery estimate'],
    ['telemetry', 'gateway/main.go', 'Send telemetry in batches; the satellite link charges per message.', 'Never lose the last batch in a power cut.', 'Batches of 60 are written to flash before they are sent.', 'feat: telemetry in batches'],
    ['telemetry', 'gateway/retry.go', 'The gateway retries forever when the server says 413.', 'Split the batch instead.', 'A batch that is too large is halved until it fits.', 'fix: split batches that are too large'],
    ['main', 'docs/keeper.md', 'Write a one-page guide for the keeper: what each light on the box means.', 'Shorter. He reads it in a storm.', 'Nine lines and a drawing.', 'docs: guide for the keeper'],
  ]),
];

/** One of each project in turn. */
export const TASKS: readonly Task[] = Array.from({ length: Math.max(...ALL.map((own) => own.length)) }, (_, at) =>
  ALL.flatMap((own) => own[at] ?? []),
).flat();
