import { fault, isExcerpt } from './judge.ts';
import { asText, commandOf, type RawCall, type RawSession } from './raw-session.ts';
import { isRefused, isRejected, isShell, partsOf, statusOf } from './raw-shell.ts';
import { type NarrativeParts, numberIn, quotesIn } from './read-narrative.ts';

/** Sub-agents, teams, pull requests, to-dos and API errors, counted in the raw lines and compared exactly. */
export function checkFacts(parts: NarrativeParts, results: readonly string[], raw: RawSession): readonly string[] {
  return [
    ...checkHelpers(parts.helpers, raw),
    ...checkTeams(parts.teams, raw),
    ...checkPullRequests(results, raw),
    ...checkTodos(parts.open, raw),
    ...checkApiErrors(parts.errors, raw),
  ];
}

/** `3 sub-agents: Explore “Look around”, scout (failed) and 1 more` */
function checkHelpers(sentence: string | undefined, { agentIds, calls }: RawSession): readonly string[] {
  const told = sentence === undefined ? 0 : numberIn(sentence);
  const list = /(?:, among them|:) ([^]*)$/.exec(sentence ?? '')?.[1] ?? '';
  const starts = calls.filter(({ name }) => /^(?:Task|Agent)$/.test(name));
  const named = [...list.matchAll(/([^\s,“”][^,“”]*?)? “([^”]*)”(?: \(\w+\))?(?:, | and |$)/g)];
  return [
    ...fault(told === agentIds.size, `${sentence}, really ${agentIds.size} sub-agents`),
    ...named.flatMap(([item, who = '', what = '']) => {
      const isThere = starts.some(({ input }) => {
        const names = [input['name'], input['subagent_type'], 'agent', 'general-purpose'].map(asText);
        return names.includes(who) && isExcerpt(what, asText(input['description']));
      });
      return fault(starts.length === 0 || isThere, `nobody started ${item}`);
    }),
  ];
}

/** `Team shop: ada, bob and 2 more` for each team, with the teammates that were actually started, in order. */
function checkTeams(sentences: string | undefined, { teammates }: RawSession): readonly string[] {
  const told = [...(sentences ?? '').matchAll(/\nTeam ([^:]+): ([^]+?)\.?(?=\nTeam |$)/g)];
  return [
    ...fault(told.length === teammates.size, `${told.length} teams, really ${teammates.size}`),
    ...told.flatMap(([sentence, team = '', list = '']) => {
      const members = [...(teammates.get(team) ?? [])];
      const items = list.split(/, | and /);
      const more = /^[\d,]+ more$/.test(items.at(-1) ?? '') ? numberIn(items.pop() ?? '') : 0;
      const isRight = items.every((name, at) => name === members[at]) && items.length + more === members.length;
      return fault(isRight, `${sentence}, really ${members.join(', ')}`);
    }),
  ];
}

function checkPullRequests(results: readonly string[], raw: RawSession): readonly string[] {
  const created = new Set(createdPullRequests(raw));
  const real = new Set([...raw.pullRequests, ...created]);
  const named = results.flatMap((result) => {
    const [, number, verb] = /^pull request (?:\S+\/\S+)?#(\d+) (created|linked)$/.exec(result) ?? [];
    return number === undefined ? [] : [{ number: Number(number), isCreated: verb === 'created' }];
  });
  const more = numberIn(results.find((result) => result.includes('more pull request')) ?? '0');
  return [
    ...named.flatMap(({ number, isCreated }) =>
      fault(
        real.has(number) && created.has(number) === isCreated,
        `pull request ${number} created: ${isCreated}, really ${[...created].join(', ')} of ${[...real].join(', ')}`,
      ),
    ),
    ...fault(named.length + more === real.size, `${named.length + more} of ${real.size} are told`),
  ];
}

/** `gh pr create` prints the URL of the pull request, unless it exists already; newer clients note it. */
function createdPullRequests({ calls }: RawSession): readonly number[] {
  const creating = calls.filter(
    (call) =>
      isShell(call) &&
      statusOf(call) === 'ok' &&
      partsOf(commandOf(call)).some(({ words }) => /^gh pr create(?: |$)/.test(words)),
  );
  const printed = creating.flatMap((call) => {
    const text = call.result?.text ?? '';
    const number = text.includes('already exists') ? undefined : /^https:\/\/\S+\/pull\/(\d+)\s*$/m.exec(text)?.[1];
    return number === undefined ? [] : [Number(number)];
  });
  const noted = calls.flatMap(({ result }) => {
    const git = result?.details?.['gitOperation'] as { pr?: { number?: number; action?: string } } | undefined;
    return git?.pr?.action === 'created' && git.pr.number !== undefined ? [git.pr.number] : [];
  });
  return [...printed, ...noted];
}

/** `2 to-dos not done: “Write it” and “Test it”` */
function checkTodos(sentence: string | undefined, raw: RawSession): readonly string[] {
  const open = [...lastTodos(raw), ...lastTasks(raw)].filter(
    ({ status }) => status !== 'completed' && status !== 'deleted',
  );
  const [, many = '0', list = ''] = /([\d,]+) to-dos? not done: ([^;]*)/.exec(sentence ?? '') ?? [];
  return [
    ...fault(numberIn(many) === open.length, `${sentence}, really ${open.length} to-dos are open`),
    ...quotesIn(list).flatMap((quote) =>
      fault(
        open.some(({ text }) => isExcerpt(quote, text)),
        `no open to-do “${quote}”`,
      ),
    ),
  ];
}

interface RawTodo {
  readonly text: string;
  readonly status: string;
}

/** The last list written in the main conversation counts. */
function lastTodos({ calls }: RawSession): readonly RawTodo[] {
  const last = calls.findLast((call) => call.name === 'TodoWrite' && call.isMain && isDone(call));
  const todos = (last?.input['todos'] ?? []) as readonly Record<string, unknown>[];
  return Array.isArray(todos)
    ? todos.map(({ content, status }) => ({ text: asText(content), status: asText(status) }))
    : [];
}

/** Tasks are created and changed one by one. */
function lastTasks({ calls }: RawSession): readonly RawTodo[] {
  const tasks = new Map<string, RawTodo>();
  for (const call of calls.filter(isDone)) {
    const { name, input, result } = call;
    if (name === 'TaskCreate') {
      const id = /^Task #(\S+) created/.exec(result?.text ?? '')?.[1];
      if (id !== undefined && call.isMain) tasks.set(id, { text: asText(input['subject']), status: 'pending' });
    }
    const known = tasks.get(String(input['taskId']));
    if (name === 'TaskUpdate' && known !== undefined && result?.details?.['success'] !== false) {
      const text = asText(input['subject']) || known.text;
      tasks.set(String(input['taskId']), { text, status: asText(input['status']) || known.status });
    }
  }
  return [...tasks.values()];
}

const isDone = ({ result }: RawCall) => result !== null && !result.isError && !isRefused(result);

/** `Commands: npm run build (3 calls), make all (1 call) and 2 more` */
export function checkCommands(sentence: string | undefined, raw: RawSession): readonly string[] {
  const commands = raw.calls.filter((call) => isShell(call) && hasRun(call)).map(commandOf);
  const items = [...(sentence ?? '').slice('Commands: '.length).matchAll(/(\S.*?) \(([\d,]+) calls?\)(?:, | and |$)/g)];
  return items.flatMap(([, label = '', calls = '']) => {
    const really = commands.filter((command) => partsOf(command).some(({ words }) => isLabel(label, words))).length;
    return fault(numberIn(calls) === really, `${label}: ${calls} calls, really ${really}`);
  });
}

/** Calls that were refused, or aborted at the permission prompt, ran nothing. */
function hasRun(call: RawCall): boolean {
  const text = call.result?.text ?? '';
  return (
    statusOf(call) !== 'refused' &&
    !isRejected(call) &&
    !/^(?:Error: )?(?:Permission prompt was aborted|\[Request interrupted[^\]\n]*\]\s*$)/.test(text)
  );
}

/** Sub-commands that are named together with the next word. */
const TWO_WORDS = /^(?:run|compose|exec|stash|worktree|remote|dlx|tool|tag)$/;

function isLabel(label: string, words: string): boolean {
  const [program = '', ...verbs] = label.split(' ');
  const [first = '', ...rest] = words.split(' ');
  // For `bash -c`, narratives name the script instead of the shell.
  if (first !== program || /^(?:ba|z|da)?sh -\w*c /.test(words)) return false;
  const plain = rest
    .join(' ')
    .replaceAll(/(?:^| )-[Cc] \S+/g, ' ')
    .split(' ');
  const found = plain.filter((word) => word !== '' && !word.startsWith('-'));
  const isWord = (word: string | undefined) => word !== undefined && /^[a-z][\w:.-]{0,40}$/i.test(word);
  if (!verbs.every((verb, at) => verb === found[at])) return false;
  return verbs.length !== 1 || !TWO_WORDS.test(verbs[0] ?? '') || !isWord(found[1]);
}

function checkApiErrors(sentence: string | undefined, { apiErrors }: RawSession): readonly string[] {
  const kinds = [...(sentence ?? '').matchAll(/API error [^;]*?(?: \(([\d,]+) times\))?(?=;|$)/g)];
  const told = kinds.reduce((sum, [, times]) => sum + (times === undefined ? 1 : numberIn(times)), 0);
  return fault(told === apiErrors, `${sentence}, really ${apiErrors} API errors`);
}
