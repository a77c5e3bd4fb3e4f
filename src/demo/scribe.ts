import type { JsonObject, JsonValue } from '../domain/transcript.ts';
import { ancestry, type ClientVersion, type Spend, usageOf } from './client-version.ts';
import { sha256Hex } from '../lib/sha256.ts';

/** Where and when a made-up session takes place. */
export interface Scene {
  readonly sessionId: string;
  readonly cwd: string;
  readonly gitBranch: string;
  readonly version: ClientVersion;
  readonly model: string;
  readonly startedAt: Date;
  /** Set for the file of a sub-agent. */
  readonly agentId?: string;
}

export interface Call {
  readonly name: string;
  readonly input: JsonObject;
  readonly output: string;
  /** `toolUseResult` of the line, as the client keeps it beside the text. */
  readonly structured?: JsonValue;
  readonly isError?: boolean;
  /** Said, or thought, in the same message before the call. */
  readonly say?: string;
  readonly think?: string;
  readonly seconds?: number;
  /** Without it an id is made up. */
  readonly id?: string;
}

export interface Answer {
  readonly text: string;
  readonly think?: string;
  readonly seconds?: number;
}

/**
 * Writes a transcript the way the client of that version does: one line a block, chained by uuid, usage repeated on the
 * lines of a message. Everything is derived from the scene, so the same scene gives the same bytes.
 */
export interface Scribe {
  readonly lines: readonly string[];
  /** The uuid of the last line in the chain; give it back to `rewindTo`. */
  mark(): string | null;
  rewindTo(uuid: string | null): void;
  wait(seconds: number): void;
  update(change: Partial<Pick<Scene, 'version' | 'model' | 'gitBranch'>>): void;
  prompt(text: string, extra?: JsonObject): void;
  call(call: Call): void;
  answer(answer: Answer): void;
  /** A line in the chain that is neither user nor assistant: system, attachment. */
  chained(line: JsonObject): void;
  /** A line outside the chain: titles, modes, queue operations. */
  loose(line: JsonObject): void;
  /** A line without the session's id, as some old ones are. */
  raw(line: JsonObject): void;
  /** The beginning of a line that a crash cut off: the next line follows it without a line break. */
  torn(text: string): void;
  now(): string;
  id(prefix: string): string;
}

interface State {
  scene: Scene;
  readonly lines: string[];
  torn: string;
  clockMs: number;
  parent: string | null;
  promptId: string;
  made: number;
  spent: Spend;
}

const STEP_MS = 1_700;

export function createScribe(scene: Scene): Scribe {
  const state: State = {
    scene,
    lines: [],
    torn: '',
    clockMs: scene.startedAt.getTime(),
    parent: null,
    promptId: '',
    made: 0,
    spent: { context: 14_200, isFirst: true },
  };
  return {
    lines: state.lines,
    mark: () => state.parent,
    rewindTo: (uuid) => void (state.parent = uuid),
    wait: (seconds) => void (state.clockMs += seconds * 1_000),
    update: (change) => void (state.scene = { ...state.scene, ...change }),
    prompt: (text, extra = {}) => writePrompt(state, text, extra),
    call: (call) => writeCall(state, call),
    answer: (answer) => writeAnswer(state, answer),
    chained: (line) => writeChained(state, line),
    loose: (line) => push(state, { ...line, sessionId: state.scene.sessionId }),
    raw: (line) => push(state, line),
    torn: (text) => void (state.torn = text),
    now: () => nowOf(state),
    id: (prefix) => makeId(state, prefix),
  };
}

function push(state: State, line: JsonObject): void {
  state.lines.push(state.torn + JSON.stringify(line));
  state.torn = '';
}

function digest(state: State): string {
  state.made += 1;
  const { sessionId, agentId = '' } = state.scene;
  return sha256Hex(`${sessionId}/${agentId}/${state.made}`);
}

function makeUuid(state: State): string {
  const hex = digest(state);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

function makeId(state: State, prefix: string): string {
  return `${prefix}_01${digest(state).slice(0, 22)}`;
}

function nowOf(state: State): string {
  return new Date(state.clockMs).toISOString();
}

/** Adds a line to the chain: it hangs below the one before, and the next will hang below it. */
function writeChained(state: State, line: JsonObject): void {
  state.clockMs += STEP_MS;
  const uuid = makeUuid(state);
  const { agentId } = state.scene;
  const isRoot = line['subtype'] === 'compact_boundary';
  const head = {
    parentUuid: isRoot ? null : state.parent,
    ...(isRoot ? { logicalParentUuid: state.parent } : {}),
    isSidechain: agentId !== undefined,
    ...(agentId === undefined ? {} : { agentId }),
  };
  push(state, { ...head, ...line, uuid, timestamp: nowOf(state), ...ancestry(state.scene) });
  state.parent = uuid;
}

function writePrompt(state: State, text: string, extra: JsonObject): void {
  state.promptId = makeUuid(state);
  const { version } = state.scene;
  writeChained(state, {
    ...(version.hasPromptId ? { promptId: state.promptId } : {}),
    type: 'user',
    message: { role: 'user', content: text },
    ...(version.hasOrigin ? { origin: { kind: 'human' }, promptSource: 'typed' } : {}),
    ...extra,
  });
}

type Block = JsonObject;

/** The blocks of one API message, a line each, all with the same id and usage. */
function writeMessage(state: State, blocks: readonly Block[], stopReason: string): void {
  const { version, model } = state.scene;
  const words = JSON.stringify(blocks).length;
  const usage = usageOf(state.spent, words, version);
  state.spent = { context: state.spent.context + Math.ceil(words / 3), isFirst: false };
  const id = makeId(state, 'msg');
  const requestId = makeId(state, 'req');
  for (const block of blocks) {
    writeChained(state, {
      message: {
        model,
        id,
        type: 'message',
        role: 'assistant',
        content: [block],
        stop_reason: stopReason,
        stop_sequence: null,
        usage,
      },
      requestId,
      type: 'assistant',
      ...(version.hasEffort ? { effort: 'high' } : {}),
    });
  }
}

function thinkingBlocks(state: State, think: string | undefined): Block[] {
  if (think === undefined) return [];
  return [{ type: 'thinking', thinking: think, signature: `${digest(state)}${digest(state)}` }];
}

function writeAnswer(state: State, { text, think, seconds = 6 }: Answer): void {
  state.clockMs += seconds * 1_000;
  writeMessage(state, [...thinkingBlocks(state, think), { type: 'text', text }], 'end_turn');
}

function writeCall(state: State, call: Call): void {
  const { version } = state.scene;
  const id = call.id ?? makeId(state, 'toolu');
  const caller: JsonObject = version.hasCaller ? { caller: { type: 'direct' } } : {};
  state.clockMs += 2_500;
  const said: Block[] = call.say === undefined ? [] : [{ type: 'text', text: call.say }];
  const use: Block = { type: 'tool_use', id, name: call.name, input: call.input, ...caller };
  writeMessage(state, [...thinkingBlocks(state, call.think), ...said, use], 'tool_use');
  const assistant = state.parent;
  state.clockMs += (call.seconds ?? 1) * 1_000;
  const isInAgent = state.scene.agentId !== undefined;
  writeChained(state, {
    ...(version.hasPromptId ? { promptId: state.promptId } : {}),
    type: 'user',
    message: { role: 'user', content: [resultBlock(id, call)] },
    ...(isInAgent
      ? {}
      : { toolUseResult: call.structured ?? (call.isError === true ? `Error: ${call.output}` : call.output) }),
    ...(version.hasSourceUuid ? { sourceToolAssistantUUID: assistant } : {}),
  });
}

function resultBlock(id: string, call: Call): Block {
  const error: JsonObject = call.isError === true ? { is_error: true } : {};
  return { tool_use_id: id, type: 'tool_result', content: call.output, ...error };
}
