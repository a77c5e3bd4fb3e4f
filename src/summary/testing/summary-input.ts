import type { CommandRun, Conversation, Reply, ShellWork, SummaryInput, Utterance } from '../../domain/summary.ts';

/** An empty input with the given parts; the conversation is derived from `said`. */
export function inputWith({
  said = [],
  ...parts
}: Partial<SummaryInput> & { readonly said?: readonly Utterance[] } = {}): SummaryInput {
  return {
    sessionId: 's',
    revision: 1,
    scope: { key: '', agentIds: null, name: null, description: null, status: null },
    lifecycle: 'parsed',
    clientTitle: null,
    task: null,
    cwd: '/home/ada/shop',
    model: 'claude-opus-4-6',
    opening: said,
    closing: [],
    omitted: 0,
    conversation: conversationOf(said),
    tools: [],
    shell: NO_SHELL,
    files: [],
    fileTotals: {
      written: (parts.files ?? []).filter(({ writes }) => writes > 0).length,
      read: (parts.files ?? []).filter(({ reads }) => reads > 0).length,
      linesAdded: (parts.files ?? []).reduce((sum, { linesAdded }) => sum + linesAdded, 0),
      linesRemoved: (parts.files ?? []).reduce((sum, { linesRemoved }) => sum + linesRemoved, 0),
    },
    pullRequests: [],
    helpers: [],
    teams: [],
    apiErrors: [],
    todos: [],
    plans: { approved: 0, rejected: 0, isWaiting: false },
    decisions: [],
    highlights: [],
    ...parts,
  };
}

export const NO_SHELL: ShellWork = {
  runs: 0,
  failures: 0,
  commands: [],
  failed: [],
  tests: [],
  lastTest: null,
  commits: [],
  unknownCommits: 0,
  pushes: 0,
  pullRequests: [],
};

function conversationOf(said: readonly Utterance[]): Conversation {
  const prompts = said.filter(({ by }) => by === 'person');
  const lastAsked = said.findLastIndex(({ by }) => by === 'person');
  return {
    prompts: prompts.length,
    requests: said.flatMap((utterance, at) => {
      const isRequest = utterance.by === 'person' || (utterance.by === 'command' && !utterance.text.includes('/model'));
      return isRequest ? [{ ...utterance, reply: replyIn(said.slice(at + 1)) }] : [];
    }),
    lastPrompt: prompts.at(-1) ?? null,
    lastAnswer: said.findLast(({ by, text }) => by === 'model' && text.trim() !== '') ?? null,
    last: said.findLast(({ by }) => by !== 'command') ?? null,
    isLastPromptAnswered: said.slice(lastAsked + 1).some(({ by }) => by === 'model'),
    clientCommands: said.some(({ text }) => text.includes('/model')) ? ['/model'] : [],
    shellInputs: [],
    attached: { images: 0, documents: 0 },
    isOfAgents: false,
    messages: said.length,
  };
}

/** Up to the next prompt after the first word of the model. */
function replyIn(following: readonly Utterance[]): Reply {
  const first = following.findIndex(({ by }) => by === 'model');
  const next = following.findIndex(({ by }, at) => by === 'person' && first >= 0 && at > first);
  const turn = following.slice(0, next < 0 ? undefined : next);
  if (turn.some(({ by }) => by === 'interruption')) return 'interrupted';
  return first < 0 ? 'no answer' : 'answered';
}

export const person = (text: string): Utterance => ({ by: 'person', text, ending: text });
export const model = (text: string): Utterance => ({ by: 'model', text, ending: text });

export function ran(command: string, output = '', parts: Partial<CommandRun> = {}): CommandRun {
  return { command, at: null, status: 'ok', exitCode: 0, output, noted: [], ...parts };
}

export function failed(command: string, output = '', exitCode: number | null = 1): CommandRun {
  return { command, at: null, status: 'error', exitCode, output, noted: [] };
}
