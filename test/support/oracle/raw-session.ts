/**
 * The facts of a session, read from the raw lines of its files. Deliberately uses no code of the program: narratives
 * are checked against this independent implementation.
 */
export interface RawSession {
  /** Prompts typed in the main conversation, in order; '' for an image without text. */
  readonly prompts: readonly string[];
  /** Prompts, and slash commands as `/name args`, in order. */
  readonly asks: readonly RawAsk[];
  /** One text for each message of the model that contains text. */
  readonly answers: readonly string[];
  /** Everything the model wrote or thought in the main conversation. */
  readonly modelTexts: readonly string[];
  readonly calls: readonly RawCall[];
  readonly last: RawWord | null;
  /** Whether the model did something after the last prompt or command that asks it for something. */
  readonly isAnswered: boolean;
  readonly mainLines: number;
  /**
   * Whether the file contains parts of the conversation twice under other uuids, so that its lines cannot be counted.
   */
  readonly isRepeated: boolean;
  readonly interruptions: number;
  /** Of sub-agent threads. */
  readonly agentPrompts: readonly string[];
  readonly agentAnswers: readonly string[];
  readonly apiErrors: number;
  /** Numbers of the pull requests linked by the client, in order. */
  readonly pullRequests: readonly number[];
  /** Ids of sub-agents that have their own files or were started by a call. */
  readonly agentIds: ReadonlySet<string>;
  /** Names of the teammates that were started, by team. */
  readonly teammates: ReadonlyMap<string, ReadonlySet<string>>;
  readonly cwd: string | null;
}

export interface RawAsk {
  readonly text: string;
  readonly isCommand: boolean;
}

export interface RawWord {
  readonly by: 'person' | 'model' | 'interruption' | 'error' | 'command';
  readonly text: string;
}

export interface RawCall {
  readonly id: string;
  readonly name: string;
  readonly input: Record<string, unknown>;
  readonly isMain: boolean;
  readonly at: string;
  readonly result: RawResult | null;
}

export const asText = (value: unknown) => (typeof value === 'string' ? value : '');

/** The command of a shell call. */
export function commandOf({ input }: RawCall): string {
  return asText(input['command']);
}

export interface RawResult {
  readonly text: string;
  readonly isError: boolean;
  /** Whether the client reported the call as denied. */
  readonly isDenied: boolean;
  readonly details: Record<string, unknown> | null;
}

type Line = Record<string, unknown>;
type Block = Record<string, unknown>;

export function readRawSession(files: readonly { readonly text: string; readonly isAgent: boolean }[]): RawSession {
  const reader = new RawReader();
  for (const { text, isAgent } of files) {
    for (const line of text.split('\n')) {
      const parsed = parseLine(line);
      if (parsed !== null) reader.take(parsed, isAgent);
    }
  }
  return reader.finish();
}

function parseLine(line: string): Line | null {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Line) : null;
  } catch {
    return null;
  }
}

const INJECTED =
  /^(?:<(?:local-command|bash-input|bash-stdout|bash-stderr|task-notification|teammate-message|system-reminder|user-prompt-submit-hook|user-memory-input)|\[Image: (?:source|original)|This session is being continued from a previous conversation|Caveat: The messages below|Base directory for this skill:|Stop hook feedback:|Another Claude session sent a message:)/;

class RawReader {
  readonly prompts: string[] = [];
  readonly asks: RawAsk[] = [];
  readonly answers = new Map<string, string>();
  readonly modelTexts: string[] = [];
  readonly uses = new Map<string, Omit<RawCall, 'result'>>();
  readonly results = new Map<string, RawResult>();
  readonly agentPrompts: string[] = [];
  readonly agentAnswers: string[] = [];
  readonly seen = new Set<unknown>();
  readonly queue: string[] = [];
  readonly absorbed: string[] = [];
  readonly words = new Map<string, string>();
  isRepeated = false;
  interruptions = 0;
  last: RawWord | null = null;
  isAnswered = false;
  mainLines = 0;
  apiErrors = 0;
  readonly pullRequests = new Set<number>();
  readonly agentIds = new Set<string>();
  readonly teammates = new Map<string, Set<string>>();
  cwd: string | null = null;

  take(line: Line, isAgentFile: boolean): void {
    if (line['uuid'] !== undefined && this.seen.has(line['uuid'])) return;
    this.seen.add(line['uuid']);
    const isMain = !isAgentFile && line['isSidechain'] !== true;
    const message = (line['message'] ?? {}) as Line;
    if (isMain && (line['type'] === 'user' || line['type'] === 'assistant')) this.mainLines += 1;
    if (isMain && typeof line['cwd'] === 'string') this.cwd ??= line['cwd'];
    if (line['type'] === 'system' && line['subtype'] === 'api_error') this.apiErrors += 1;
    if (line['type'] === 'pr-link') this.pullRequests.add(Number(line['prNumber']));
    if (isAgentFile && typeof line['agentId'] === 'string') this.agentIds.add(line['agentId']);
    // Old clients write sub-agents into the main file, each starting with a line without a parent.
    const isRoot = line['type'] === 'user' && line['parentUuid'] === null && line['agentId'] === undefined;
    if (!isAgentFile && line['isSidechain'] === true && isRoot) this.agentIds.add(asText(line['uuid']));
    if (line['type'] === 'queue-operation') this.takeQueue(line);
    if (line['type'] === 'attachment' && isMain) this.takeAttachment((line['attachment'] ?? {}) as Line);
    if (line['type'] === 'user') this.takeUser(line, message, isMain);
    if (line['type'] === 'assistant') this.takeAssistant(line, message, isMain);
  }

  takeUser(line: Line, message: Line, isMain: boolean): void {
    const blocks = blocksOf(message['content']);
    const results = blocks.filter(({ type }) => type === 'tool_result');
    for (const block of results) this.takeResult(block, line);
    if (results.length > 0) return;
    const text = spoken(blocks);
    if (line['isCompactSummary'] === true) return;
    if (/^\[(?:Request|Tool call) interrupted[^\]\n]*\]\s*$/.test(text)) {
      this.interruptions += 1;
      if (isMain) this.last = { by: 'interruption', text };
      return;
    }
    const command = /^\s*<command-/.test(text) ? commandIn(text) : null;
    if (INJECTED.test(text) || (line['isMeta'] === true && command === null)) return;
    if (line['isVisibleInTranscriptOnly'] === true) return;
    const isMissing = typeof message['content'] !== 'string';
    if (text.trim() === '' && isMissing && !blocks.some(({ type }) => type === 'image' || type === 'document')) return;
    if (!isMain) {
      this.agentPrompts.push(text);
      return;
    }
    this.ask(command ?? text, command !== null);
  }

  /**
   * A prompt typed while the model is working. `remove` passes it to the running turn, `dequeue` turns it into a
   * separate line.
   */
  takeQueue({ operation, content }: Line): void {
    if (operation === 'enqueue') this.queue.push(typeof content === 'string' ? content : '');
    if (operation === 'dequeue') this.queue.shift();
    if (operation !== 'remove') return;
    const at = Math.max(0, asText(content) === '' ? 0 : this.queue.indexOf(asText(content)));
    const [text = ''] = this.queue.splice(at, 1);
    if (text === '' || INJECTED.test(text) || text.startsWith('{')) return;
    this.absorbed.push(text);
    this.ask(text, false);
  }

  /** Newer clients also write such a prompt as an attachment. */
  takeAttachment({ type, prompt, commandMode }: Line): void {
    const text = spoken(blocksOf(prompt));
    if (type !== 'queued_command' || commandMode === 'task-notification' || INJECTED.test(text)) return;
    const at = this.absorbed.indexOf(text);
    if (at >= 0) this.absorbed.splice(at, 1);
    else this.ask(text, false);
  }

  ask(text: string, isCommand: boolean): void {
    this.asks.push({ text, isCommand });
    if (!isCommand) this.prompts.push(text);
    if (isCommand && isLocal(text)) return;
    this.isAnswered = false;
    this.last = { by: isCommand ? 'command' : 'person', text };
  }

  takeAssistant(line: Line, message: Line, isMain: boolean): void {
    const blocks = blocksOf(message['content']);
    const isSynthetic = line['isApiErrorMessage'] === true || message['model'] === '<synthetic>';
    const text = blocks.flatMap((block) => (block['type'] === 'text' ? [String(block['text'])] : [])).join('\n');
    for (const block of blocks) if (block['type'] === 'tool_use') this.takeUse(block, line, isMain);
    if (isSynthetic) {
      if (line['isApiErrorMessage'] !== true) return;
      this.apiErrors += 1;
      if (isMain) this.last = { by: 'error', text };
      return;
    }
    if (isMain) this.isAnswered = true;
    if (isMain) for (const block of blocks) this.modelTexts.push(asText(block['thinking'] ?? block['text']));
    if (text.trim() === '') return;
    if (!isMain) {
      this.agentAnswers.push(text);
      return;
    }
    const id = String(message['id'] ?? line['uuid']);
    if (this.words.get(id) === text) this.isRepeated = true;
    this.words.set(id, text);
    this.answers.set(id, [this.answers.get(id), text].filter(Boolean).join('\n'));
    this.last = { by: 'model', text: this.answers.get(id) ?? text };
  }

  takeUse(block: Block, { timestamp }: Line, isMain: boolean): void {
    const id = String(block['id']);
    const input = (block['input'] ?? {}) as Record<string, unknown>;
    this.uses.set(id, { id, name: String(block['name']), input, isMain, at: asText(timestamp) });
  }

  takeResult(block: Block, { toolUseResult: details, toolDenialKind }: Line): void {
    const text = blocksOf(block['content'])
      .flatMap((part) => (typeof part['text'] === 'string' ? [part['text']] : []))
      .join('\n');
    const known = typeof details === 'object' && details !== null ? (details as Record<string, unknown>) : null;
    if (known !== null && block['is_error'] !== true) this.takeAgent(known);
    this.results.set(String(block['tool_use_id']), {
      text,
      isError: block['is_error'] === true,
      isDenied: toolDenialKind !== undefined,
      details: known,
    });
  }

  /** A sub-agent or a teammate started by a call, even if its file is missing. */
  takeAgent(details: Record<string, unknown>): void {
    if (details['status'] === 'teammate_spawned') {
      const [name = '', team = ''] = asText(details['agent_id'] ?? details['teammate_id']).split('@');
      const members = this.teammates.get(asText(details['team_name']) || team) ?? new Set();
      this.teammates.set(asText(details['team_name']) || team, members.add(asText(details['name']) || name));
    } else if (typeof details['agentId'] === 'string' && details['status'] !== undefined) {
      this.agentIds.add(details['agentId']);
    }
  }

  finish(): RawSession {
    const calls = [...this.uses.values()].map((use) => ({ ...use, result: this.results.get(use.id) ?? null }));
    return {
      prompts: this.prompts,
      asks: this.asks,
      answers: [...this.answers.values()],
      modelTexts: this.modelTexts,
      calls,
      last: this.last,
      isAnswered: this.isAnswered,
      mainLines: this.mainLines,
      isRepeated: this.isRepeated,
      interruptions: this.interruptions,
      agentPrompts: this.agentPrompts,
      agentAnswers: this.agentAnswers,
      apiErrors: this.apiErrors,
      pullRequests: [...this.pullRequests],
      agentIds: this.agentIds,
      teammates: this.teammates,
      cwd: this.cwd,
    };
  }
}

function blocksOf(content: unknown): readonly Block[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return Array.isArray(content) ? content.filter((block) => typeof block === 'object' && block !== null) : [];
}

/** The text typed by a person, without text that the client and editors put before it. */
function spoken(blocks: readonly Block[]): string {
  const texts = blocks.flatMap((block) => (typeof block['text'] === 'string' ? [block['text']] : []));
  const own = texts.map((text) =>
    text.replace(/^(?:\s*<(system-reminder|ide_opened_file|ide_selection|ide_diagnostics)>[^]*?<\/\1>\s*)+/, ''),
  );
  return own.find((text) => text.trim() !== '') ?? texts[0] ?? '';
}

function commandIn(text: string): string | null {
  const name = /<command-name>\s*(\S+?)\s*<\/command-name>/.exec(text)?.[1];
  if (name === undefined) return null;
  const args = /<command-args>([^]*?)<\/command-args>/.exec(text)?.[1]?.trim() ?? '';
  return `${name.startsWith('/') ? '' : '/'}${name} ${args}`.trim();
}

const LOCAL =
  /^\/(?:clear|model|exit|quit|help|status|config|cost|usage|compact|resume|login|logout|mcp|permissions|doctor|memory|agents|plugin|hooks|theme|context|export|add-dir|rename|ide|vim|todos|tasks|rewind|fast|effort|output-style|skills|stats|release-notes|reload-plugins|terminal-setup|upgrade|extra-usage|privacy-settings|branch|fork|copy|statusline-setup|bug|feedback|install-github-app|sandbox|remote-control|color|desktop|mobile|chrome)(?:\s|$)/;

/** A command that only concerns the client. */
export function isLocal(command: string): boolean {
  return LOCAL.test(command);
}
