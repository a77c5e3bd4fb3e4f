import { type Columns, hasFlag, KIND } from './columns.ts';
import type { DayCalendar } from './days.ts';
import { leadGroup, type OutlineIndex } from './outline-index.ts';
import { agentKey, DEPTH_SHIFT, type Density, MARK, ROW, rowKey, stripKey, waysKey } from './row.ts';

const NONE = -1;
const MAIN = -1;
/** Each kind as a bit, to test for several at once. */
const bits = (...kinds: readonly (keyof typeof KIND)[]) => kinds.reduce((all, kind) => all | (1 << KIND[kind]), 0);
const TYPED = bits('prompt', 'command');
const HEADS = bits('prompt', 'command', 'context');
const WORK = bits('answer', 'thinking', 'read', 'write', 'run', 'web', 'agent', 'task', 'mcp', 'other_tool', 'result');
const NOTICES = bits('notice', 'error');
/** Shown only when everything is. */
const QUIET = bits('thinking', 'context');

/** Messages shown with a prompt, and in one run: a session can have thousands in a row. */
const MAX_ADDED = 20;
const MAX_RUN = 50;

/** Items that are shown by themselves even where their turn, group or density would hide them. */
export interface Reveal {
  readonly items: ReadonlySet<number>;
  readonly agents: ReadonlySet<number>;
}

export interface SectionOptions {
  readonly index: OutlineIndex;
  readonly density: Density;
  readonly days: DayCalendar;
  readonly isToggled: (key: number) => boolean;
  readonly reveal: Reveal;
}

export interface Section {
  readonly rows: Int32Array;
  /** The first of its items in the main conversation whose time is known; -1 if there is none. */
  readonly firstDated: number;
  /** When the last one happened. */
  readonly lastTime: number;
}

/** The rows of one turn of the main conversation; of what precedes all turns for -1. */
export function buildSection(options: SectionOptions, turn: number): Section {
  const writer = new SectionWriter(options);
  if (turn === NONE) writer.addGroup(leadGroup(options.index, MAIN), NONE, { depth: 0, isAbandoned: false });
  else writer.addTurn(turn, { depth: 0, isAbandoned: false });
  return writer.finish();
}

interface Place {
  readonly depth: number;
  readonly isAbandoned: boolean;
}

class SectionWriter {
  readonly #options: SectionOptions;
  readonly #index: OutlineIndex;
  readonly #columns: Columns;
  readonly #numbers: number[] = [];
  #firstDated = NONE;
  #lastTime = Number.NaN;

  constructor(options: SectionOptions) {
    this.#options = options;
    this.#index = options.index;
    this.#columns = options.index.columns;
  }

  finish(): Section {
    return { rows: Int32Array.from(this.#numbers), firstDated: this.#firstDated, lastTime: this.#lastTime };
  }

  addTurn(turn: number, place: Place): void {
    const { tree } = this.#index;
    for (const branch of tree.foldsBefore(turn)) {
      this.#push(ROW.ways, branch, branch + 1, turn, place);
      if (!this.#options.isToggled(waysKey(this.#index, branch))) continue;
      for (const abandoned of tree.turnsIn(branch))
        this.addTurn(abandoned, { depth: place.depth + 1, isAbandoned: true });
    }
    this.addGroup(turn, turn, place);
  }

  addGroup(group: number, turn: number, place: Place): void {
    const { starts, ends } = this.#index;
    const walk = new Walk(this.#index, {
      from: starts[group] as number,
      to: ends[group] as number,
      turn,
      agents: this.#index.looseIn.get(group) ?? [],
    });
    this.#addHead(walk, place);
    const isUnfolded = this.#isUnfolded(turn);
    if (turn !== NONE && walk.hasWork)
      this.#push(ROW.strip, walk.from, walk.to, turn, place, isUnfolded ? MARK.unfolded : 0);
    if (isUnfolded) this.#addAll(walk, place);
    else this.#addFolded(walk, place);
  }

  #isUnfolded(turn: number): boolean {
    if (turn === NONE) return true;
    return this.#options.density > 1 !== this.#options.isToggled(stripKey(this.#index, turn));
  }

  #addHead(walk: Walk, place: Place): void {
    const item = walk.item;
    if (walk.turn === NONE || item === NONE || !walk.is(HEADS)) return;
    if (this.#columns.ordinal[item] === this.#index.turns.ordinal[walk.turn]) this.#addPrompt(walk, place);
  }

  /** A prompt or command, with the context behind it. */
  #addPrompt(walk: Walk, place: Place): void {
    const from = walk.at;
    walk.next();
    const end = from + 1 + MAX_ADDED;
    while (walk.item !== NONE && walk.at < end && this.#columns.kind[walk.item] === KIND.context) walk.next();
    this.#push(ROW.prompt, from, walk.at, walk.turn, place);
    for (let at = from + 1; at < walk.at; at += 1)
      if (this.#isRevealed(this.#index.order[at] as number)) this.#push(ROW.item, at, at + 1, walk.turn, place);
  }

  /** Without the work: what was typed, what was answered, and what ended the turn. */
  #addFolded(walk: Walk, place: Place): void {
    const answer = this.#index.turns.answer_ordinal[walk.turn] ?? NONE;
    for (const agent of walk.agents) if (this.#options.reveal.agents.has(agent)) this.#addAgent(agent, walk, place);
    while (walk.item !== NONE) {
      const item = walk.item;
      const kind = this.#columns.kind[item];
      if (walk.is(TYPED)) {
        this.#addPrompt(walk, place);
        continue;
      }
      const isAnswer = kind === KIND.answer && this.#columns.ordinal[item] === answer;
      const isEnd = walk.is(NOTICES) && walk.at >= walk.workEnd && !walk.isRetried;
      if (isAnswer || isEnd || kind === KIND.compaction || this.#isRevealed(item)) this.#addItem(walk, place);
      else this.#addRevealedAgent(item, walk, place);
      walk.next();
    }
  }

  #addRevealedAgent(item: number, walk: Walk, place: Place): void {
    for (const agent of this.#index.startedBy.get(item) ?? [])
      if (this.#options.reveal.agents.has(agent)) this.#addAgent(agent, walk, place);
  }

  #addAll(walk: Walk, place: Place): void {
    let agentsShown = 0;
    const addAgentsBefore = (ordinal: number) => {
      for (; agentsShown < walk.agents.length; agentsShown += 1) {
        const agent = walk.agents[agentsShown] as number;
        if ((this.#columns.ordinal[this.#index.firstOfAgent[agent] as number] as number) > ordinal) return;
        this.#addAgent(agent, walk, place);
      }
    };
    while (walk.item !== NONE) {
      addAgentsBefore(this.#columns.ordinal[walk.item] as number);
      this.#addNext(walk, place);
    }
    addAgentsBefore(Number.POSITIVE_INFINITY);
  }

  #addNext(walk: Walk, place: Place): void {
    const isRevealed = this.#isRevealed(walk.item);
    if (walk.is(TYPED)) return this.#addPrompt(walk, place);
    if (this.#options.density < 3) {
      if (!isRevealed && (walk.is(QUIET) || walk.isRetried)) return walk.next();
      if (this.#isMerged(walk.item)) return this.#addReads(walk, place);
    } else if (this.#columns.kind[walk.item] === KIND.context && !isRevealed) return this.#addContext(walk, place);
    this.#addItem(walk, place);
    walk.next();
  }

  /** A run of injected messages. */
  #addContext(walk: Walk, place: Place): void {
    const from = walk.at;
    const isMore = () => this.#columns.kind[walk.item] === KIND.context && !this.#isRevealed(walk.item);
    while (walk.item !== NONE && walk.at < from + MAX_RUN && isMore()) walk.next();
    this.#push(ROW.context, from, walk.at, walk.turn, place);
  }

  #isMerged(item: number): boolean {
    if (this.#columns.kind[item] !== KIND.read || this.#index.startedBy.has(item)) return false;
    return !this.#isLost(item) && !this.#isRevealed(item);
  }

  /** Consecutive calls that only read are one row; what is hidden between them does not separate them. */
  #addReads(walk: Walk, place: Place): void {
    const from = walk.at;
    let end = from;
    let count = 0;
    for (; walk.item !== NONE; walk.next()) {
      if (this.#isMerged(walk.item)) {
        count += 1;
        end = walk.at + 1;
      } else if (!walk.is(QUIET) || this.#isRevealed(walk.item)) break;
    }
    if (count === 1) return this.#push(ROW.item, from, from + 1, walk.turn, place);
    this.#push(ROW.group, from, end, walk.turn, place);
    if (!this.#options.isToggled(rowKey(this.#index, ROW.group, from, NONE))) return;
    for (let at = from; at < end; at += 1) {
      const item = this.#index.order[at] as number;
      if (this.#columns.kind[item] === KIND.read) this.#push(ROW.item, at, at + 1, walk.turn, place, MARK.grouped);
    }
  }

  /** An item and the agents it started. They replace their call unless it failed or was denied. */
  #addItem(walk: Walk, place: Place): void {
    const item = walk.item;
    const agents = (this.#index.startedBy.get(item) ?? []).filter((agent) => this.#hasItems(agent));
    const isShown = agents.length === 0 || this.#options.density === 3 || this.#isLost(item) || this.#isRevealed(item);
    const isFirstAnswer = this.#columns.kind[item] === KIND.answer && !walk.hasAnswered;
    if (isFirstAnswer) walk.hasAnswered = true;
    if (isShown) this.#push(ROW.item, walk.at, walk.at + 1, walk.turn, place, isFirstAnswer ? MARK.firstAnswer : 0);
    for (const agent of agents) this.#addAgent(agent, walk, place);
  }

  /** Failed and denied calls stay visible. */
  #isLost(item: number): boolean {
    return hasFlag(this.#columns, item, 'error') || hasFlag(this.#columns, item, 'denied');
  }

  #hasItems(agent: number): boolean {
    return this.#index.firstOfAgent[agent] !== NONE;
  }

  #addAgent(agent: number, walk: Walk, place: Place): void {
    this.#push(ROW.agent, agent, agent + 1, walk.turn, place);
    if (!this.#options.isToggled(agentKey(this.#index, agent))) return;
    const inside = { depth: place.depth + 1, isAbandoned: place.isAbandoned };
    this.addGroup(leadGroup(this.#index, agent), NONE, inside);
    for (const turn of this.#index.tree.rootsOf(agent)) this.addTurn(turn, inside);
  }

  #isRevealed(item: number): boolean {
    return this.#options.reveal.items.has(item);
  }

  #push(kind: number, from: number, to: number, turn: number, place: Place, marks = 0): void {
    if (place.depth === 0 && kind !== ROW.ways && kind !== ROW.strip && kind !== ROW.agent)
      this.#addDay(this.#index.order[from] as number, turn);
    const bits = marks | (place.isAbandoned ? MARK.abandoned : 0) | (place.depth << DEPTH_SHIFT);
    this.#numbers.push(kind, from, to, turn, bits);
  }

  #addDay(item: number, turn: number): void {
    const time = this.#columns.time[item] as number;
    if (Number.isNaN(time)) return;
    if (this.#firstDated === NONE) this.#firstDated = item;
    else if (!this.#options.days.isSameDay(this.#lastTime, time)) this.#numbers.push(ROW.day, item, item + 1, turn, 0);
    this.#lastTime = time;
  }
}

interface WalkOptions {
  /** Positions in `order`. */
  readonly from: number;
  readonly to: number;
  readonly turn: number;
  /** Agents without a known call that started here. */
  readonly agents: readonly number[];
}

/** Walks through the items of a turn. */
class Walk {
  readonly from: number;
  readonly to: number;
  readonly turn: number;
  readonly agents: readonly number[];
  /** The position after the model's last action. */
  readonly workEnd: number;
  at: number;
  hasAnswered = false;
  readonly #index: OutlineIndex;

  constructor(index: OutlineIndex, { from, to, turn, agents }: WalkOptions) {
    this.#index = index;
    this.from = from;
    this.to = to;
    this.turn = turn;
    this.agents = agents;
    this.at = from;
    let end = to;
    while (end > from && !this.#isAt(end - 1, WORK)) end -= 1;
    this.workEnd = end;
  }

  get hasWork(): boolean {
    const cost = this.#index.turns.cost[this.turn] ?? null;
    return this.workEnd > this.from || this.agents.length > 0 || cost !== null;
  }

  /** -1 at the end. */
  get item(): number {
    return this.at < this.to ? (this.#index.order[this.at] as number) : NONE;
  }

  next(): void {
    this.at += 1;
  }

  is(kinds: number): boolean {
    return this.#isAt(this.at, kinds);
  }

  /** An API error followed by another one: only the last attempt counts. */
  get isRetried(): boolean {
    const error = 1 << KIND.error;
    return this.#isAt(this.at, error) && this.at + 1 < this.to && this.#isAt(this.at + 1, error);
  }

  #isAt(position: number, kinds: number): boolean {
    const item = this.#index.order[position] as number;
    return ((1 << (this.#index.columns.kind[item] as number)) & kinds) !== 0;
  }
}
