import type { CommandRun, SummaryInput, Utterance } from '../../domain/summary.ts';

/** An input with nothing in it but what a test says. */
export function inputWith(parts: Partial<SummaryInput> = {}): SummaryInput {
  return {
    sessionId: 's',
    revision: 1,
    scope: { key: '', agentIds: null, name: null, description: null, status: null },
    lifecycle: 'parsed',
    clientTitle: null,
    cwd: '/home/ada/shop',
    model: 'claude-opus-4-6',
    durationMs: 60_000,
    opening: [],
    closing: [],
    omitted: 0,
    promptCount: (parts.opening ?? []).filter(({ by }) => by === 'person').length,
    tools: [],
    commands: [],
    files: [],
    commits: [],
    pushes: 0,
    pullRequests: [],
    helpers: [],
    teams: [],
    apiErrors: [],
    compactions: 0,
    todos: [],
    proposedPlans: 0,
    ...parts,
  };
}

export const person = (text: string): Utterance => ({ by: 'person', text, ending: text });
export const model = (text: string): Utterance => ({ by: 'model', text, ending: text });

export function ran(command: string, output = '', parts: Partial<CommandRun> = {}): CommandRun {
  return { command, status: 'ok', exitCode: 0, output, ...parts };
}

export function failed(command: string, output = '', exitCode: number | null = 1): CommandRun {
  return { command, status: 'error', exitCode, output };
}
