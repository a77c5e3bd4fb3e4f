import type { FileTouch, GitOperation, PersistedOutputRef } from '../../domain/transcript-structure.ts';
import type { JsonObject, JsonValue } from '../../domain/transcript.ts';

/** Facts of a result beyond its text. Filled in by the reader for the tool's result shape. */
export interface ToolOutcome {
  exitCode: number | null;
  durationMs: number | null;
  isBackground: boolean;
  isInterrupted: boolean;
  agent: AgentReport | null;
  persistedOutput: PersistedOutputRef | null;
  readonly files: FileTouch[];
  readonly git: Omit<GitOperation, 'toolUseId'>[];
  /** Small facts to show; the keys are ours. */
  readonly details: { [key: string]: JsonValue };
}

/** Facts about an agent from the result of its call. */
export interface AgentReport {
  readonly agentId: string;
  readonly isTeammate: boolean;
  readonly status: string | null;
  readonly model: string | null;
  readonly agentType: string | null;
  readonly teamName: string | null;
  readonly name: string | null;
  readonly color: string | null;
  readonly tokens: number | null;
  readonly toolUses: number | null;
  readonly durationMs: number | null;
  readonly worktreePath: string | null;
  readonly worktreeBranch: string | null;
}

export type ResultReader = (result: JsonObject, outcome: ToolOutcome) => void;

export function createOutcome(): ToolOutcome {
  return {
    exitCode: null,
    durationMs: null,
    isBackground: false,
    isInterrupted: false,
    agent: null,
    persistedOutput: null,
    files: [],
    git: [],
    details: {},
  };
}
