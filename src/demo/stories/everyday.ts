import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../domain/durations.ts';
import { sha256Hex } from '../../lib/sha256.ts';
import { VERSIONS } from '../client-version.ts';
import { createScribe, type Scribe } from '../scribe.ts';
import { bash, type DemoFile, edit, grep, projectFolder, read, sessionId, transcriptFile } from '../story.ts';
import { TASKS, type Task } from './everyday-tasks.ts';

const MODELS = ['claude-opus-5-5', 'claude-sonnet-5-5', 'claude-opus-4-6', 'claude-haiku-5-5'] as const;
const DAYS_APART = 1.7;

/** Six weeks of work on four projects, so that lists, charts and the timeline have something to show. */
export function everyday(now: Date): DemoFile[] {
  return TASKS.map((task, at) => work(task, at, now));
}

/** A number below `limit` that depends on nothing but its arguments. */
function pick(task: Task, what: string, limit: number): number {
  return Number.parseInt(sha256Hex(`${task.commit}/${what}`).slice(0, 8), 16) % limit;
}

function work(task: Task, at: number, now: Date): DemoFile {
  const digest = sha256Hex(task.commit);
  const id = sessionId(digest.slice(0, 8));
  const version = at < TASKS.length / 2 ? VERSIONS.today : VERSIONS.recent;
  const scribe = createScribe({
    sessionId: id,
    cwd: task.cwd,
    gitBranch: task.branch,
    version,
    model: MODELS[(at + pick(task, 'model', 2)) % MODELS.length] ?? MODELS[0],
    startedAt: startOf(task, at, now),
    contextTokens: 40_000 + pick(task, 'context', 90_000),
  });
  scribe.loose({ type: 'permission-mode', permissionMode: 'acceptEdits' });
  scribe.prompt(task.prompt);
  look(scribe, task);
  change(scribe, task);
  scribe.wait(60 * (2 + pick(task, 'pause', 20)));
  scribe.prompt(task.followUp);
  test(scribe, task, 'again');
  finish(scribe, task, digest);
  return transcriptFile(`${projectFolder(task.cwd)}/${id}.jsonl`, scribe);
}

/** In the working hours of a day before today. */
function startOf(task: Task, at: number, now: Date): Date {
  const day = Math.floor(now.getTime() / DAY_MS) - 1 - Math.floor(at * DAYS_APART);
  return new Date(day * DAY_MS + (7 + pick(task, 'hour', 10)) * HOUR_MS + pick(task, 'minute', 60) * MINUTE_MS);
}

function look(scribe: Scribe, task: Task): void {
  const path = `${task.cwd}/${task.file}`;
  scribe.call(
    grep({
      pattern: task.file.replace(/.*\//, '').replace(/\..*/, ''),
      files: [task.file, `test/${task.file}`],
      say: 'Let me look at the code first.',
      seconds: 2,
    }),
  );
  const steps = 2 + pick(task, 'reads', 4);
  for (let step = 0; step < steps; step += 1) {
    const content = Array.from({ length: 6 }, (_, part) => codeOf(task, part + step).join('\n')).join('\n\n');
    scribe.wait(20 + pick(task, `read ${step}`, 60));
    scribe.call(read({ path, content, seconds: 1, think: '' }));
  }
}

function change(scribe: Scribe, task: Task): void {
  const path = `${task.cwd}/${task.file}`;
  const edits = 1 + pick(task, 'edits', 4);
  for (let step = 0; step < edits; step += 1) {
    const [before = '', ...after] = codeOf(task, step);
    scribe.wait(60 + pick(task, `edit ${step}`, 240));
    scribe.call(edit({ path, before, after: after.join('\n'), seconds: 1 + pick(task, `write ${step}`, 4) }));
  }
  test(scribe, task, 'first');
  scribe.answer({ text: `I changed \`${task.file}\`. ${task.done}`, seconds: 40 + pick(task, 'answer', 80) });
}

const PYTHON = [
  'rows = load(path)',
  'if not rows:',
  '    return []',
  'total = sum(row.amount for row in rows)',
  'for row in sorted(rows, key=by_date):',
  '    check(row)',
  'log.info("%d rows", len(rows))',
  'return total.quantize(CENT)',
];
const OTHERS = [
  'let rest = remaining(now);',
  'if (rest <= 0) return done();',
  'let found = lookUp(key, options);',
  'record(found);',
  'while (hasMore(found)) advance(found);',
  'check(found.size <= LIMIT);',
  'notify(found);',
  'return found;',
];

/** A line that is replaced, and the lines that replace it. */
function codeOf(task: Task, step: number): readonly string[] {
  const pool = task.file.endsWith('.py') ? PYTHON : OTHERS;
  const first = pick(task, `line ${step}`, pool.length);
  const length = 3 + pick(task, `size ${step}`, 5);
  return Array.from({ length }, (_, line) => pool[(first + line) % pool.length] ?? '');
}

const FAILS_ONE_IN = 3;

function test(scribe: Scribe, task: Task, round: string): void {
  const seconds = 90 + pick(task, `seconds ${round}`, 500);
  if (pick(task, `fails ${round}`, FAILS_ONE_IN) === 0) {
    const output = `1 failed, ${40 + pick(task, 'tests', 90)} passed\n  ${task.file}: expected 3 to be 4`;
    scribe.call(bash({ command: 'make test', about: 'Run the tests', output, exitCode: 2, seconds }));
    const path = `${task.cwd}/${task.file}`;
    const [before = '', ...after] = codeOf(task, round.length);
    scribe.wait(150);
    scribe.call(edit({ path, before, after: after.join('\n'), seconds: 2 }));
  }
  const output = `${41 + pick(task, 'tests', 90)} passed in ${seconds} s`;
  scribe.call(bash({ command: 'make test', about: 'Run the tests', output, seconds }));
}

function finish(scribe: Scribe, task: Task, digest: string): void {
  const added = 8 + pick(task, 'added', 60);
  scribe.call(
    bash({
      command: `git commit -qam "${task.commit}" && git log -1 --oneline --shortstat`,
      about: 'Commit',
      output: `[${task.branch} ${digest.slice(0, 7)}] ${task.commit}\n 2 files changed, ${added} insertions(+), 3 deletions(-)`,
    }),
  );
  scribe.answer({ text: task.done, seconds: 30 + pick(task, 'end', 60) });
}
