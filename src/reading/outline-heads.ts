import { type BlockHead, ITEM_FLAGS, type MessageHead } from '../domain/outline.ts';
import { KIND_NUMBERS, type OutlineItem, readItems } from './outline-items.ts';

const NONE = -1;
/** A call without an id: nothing can refer to it. */
const UNNAMED = -2;
const ANSWER = KIND_NUMBERS.get('answer');

/**
 * The items of a session as far as messages alone determine them, in columns of numbers: ids are replaced by their position
 * in a list. Messages are added in order; `cut` removes those from a position on.
 */
export class OutlineHeads {
  readonly columns = {
    ordinal: [] as number[],
    block: [] as number[],
    kind: [] as number[],
    size: [] as number[],
    flags: [] as number[],
    /** Whether the model wrote it. */
    isModel: [] as boolean[],
    time: [] as (number | null)[],
    cost: [] as (number | null)[],
    context: [] as (number | null)[],
    /** Numbers of names; -1 for none. */
    turn: [] as number[],
    agent: [] as number[],
    model: [] as number[],
    call: [] as number[],
    /** The item before this one with the same call; -1 if there is none. */
    sameCall: [] as number[],
  };
  readonly turns = new Names();
  readonly agents = new Names();
  readonly models = new Names();
  readonly calls = new Names();
  /** By call: the position of its first block, its first and its last item, and its last result; -1 for none. */
  readonly calledAt: number[] = [];
  readonly itemOf: number[] = [];
  readonly lastItemOf: number[] = [];
  readonly lastResult: number[] = [];
  readonly results: FoundResult[] = [];
  /** By number of the turn: the facts that its messages state. */
  readonly turnFacts: TurnFacts[] = [];
  /** By number of the agent: how many items it has, and the first one. */
  readonly agentItems: { count: number; first: number }[] = [];
  /** First blocks of calls, in order. */
  readonly #called: { readonly call: number; readonly ordinal: number }[] = [];
  /** Results that came before their call. */
  readonly #unclaimed: { readonly call: number; readonly item: number }[] = [];
  /** Answers with a price, including those with nothing to show. */
  readonly #prices: Price[] = [];
  /** The change of each item to its turn. */
  readonly #former: (TurnFacts | null)[] = [];
  #changes = { from: 0, calls: new Set<number>() };

  get count(): number {
    return this.columns.ordinal.length;
  }

  /** Both lists in order, the blocks of exactly these messages. */
  add(messages: readonly MessageHead[], blocks: readonly BlockHead[]): void {
    let at = 0;
    for (const message of messages) {
      const from = at;
      while (blocks[at]?.ordinal === message.ordinal) at += 1;
      this.#addMessage(message, blocks.slice(from, at));
    }
  }

  /** The first changed item, and the calls with changed results, since the last call of this function. */
  takeChanges(): { readonly from: number; readonly calls: ReadonlySet<number> } {
    const changes = this.#changes;
    this.#changes = { from: this.count, calls: new Set() };
    return changes;
  }

  /** Results that are shown with a call that came after them. */
  claimed(): ReadonlySet<number> {
    const claimed = this.#unclaimed.filter(({ call }) => this.calledAt[call] !== NONE);
    return new Set(claimed.map(({ item }) => item));
  }

  /** Removes all messages from this position on. The work grows with the number of removed messages. */
  cut(ordinal: number): void {
    while (this.count > 0 && (this.columns.ordinal[this.count - 1] as number) >= ordinal) this.#cutItem();
    this.#changes.from = Math.min(this.#changes.from, this.count);
    popWhile(this.#unclaimed, ({ item }) => item >= this.count);
    popWhile(
      this.#prices,
      (price) => price.ordinal >= ordinal,
      ({ turn, before }) => {
        this.turnFacts[turn] = { ...this.#factsOf(turn), nanos: before };
      },
    );
    popWhile(
      this.results,
      (result) => result.ordinal >= ordinal,
      ({ call, before }) => {
        this.lastResult[call] = before;
        this.#changes.calls.add(call);
      },
    );
    popWhile(
      this.#called,
      (called) => called.ordinal >= ordinal,
      ({ call }) => void (this.calledAt[call] = NONE),
    );
  }

  #cutItem(): void {
    const item = this.count - 1;
    const { call, sameCall, turn, agent } = this.columns;
    const ofCall = call[item] as number;
    if (ofCall >= 0) this.lastItemOf[ofCall] = sameCall[item] as number;
    if (this.itemOf[ofCall] === item) this.itemOf[ofCall] = NONE;
    const former = this.#former.pop() ?? null;
    if (former !== null)
      this.turnFacts[turn[item] as number] = { ...former, nanos: this.#factsOf(turn[item] as number).nanos };
    const own = this.agentItems[agent[item] as number];
    if (own !== undefined) own.count -= 1;
    for (const column of Object.values(this.columns)) column.pop();
  }

  #factsOf(turn: number): TurnFacts {
    return this.turnFacts[turn] ?? NO_FACTS;
  }

  #addMessage(message: MessageHead, blocks: readonly BlockHead[]): void {
    const turn = this.turns.numberOf(message.turn_id);
    if (turn !== NONE && message.cost_nanos !== null) {
      const facts = this.#factsOf(turn);
      this.#prices.push({ ordinal: message.ordinal, turn, before: facts.nanos });
      this.turnFacts[turn] = { ...facts, nanos: (facts.nanos ?? 0) + message.cost_nanos };
    }
    for (const block of blocks) this.#noteTool(block);
    const place: Place = {
      turn,
      agent: this.agents.numberOf(message.agent_id),
      model: this.models.numberOf(message.model),
      time: message.timestamp === null ? null : Date.parse(message.timestamp),
    };
    let isFirst = true;
    readItems(message, blocks, (item) => {
      this.#addItem(message, item, place, isFirst);
      isFirst = false;
    });
  }

  #noteTool(block: BlockHead): void {
    const { ordinal, tool_use_id, tool_result_id } = block;
    if (tool_use_id !== null) {
      const call = this.#callNumber(tool_use_id);
      if (this.calledAt[call] === NONE) {
        this.calledAt[call] = ordinal;
        this.#called.push({ call, ordinal });
      }
    }
    if (tool_result_id === null) return;
    // An interrupted call can get a placeholder first and its real result later, so the last one counts.
    const call = this.#callNumber(tool_result_id);
    const flags = (block.is_error ? ITEM_FLAGS.error : 0) | (block.has_image ? ITEM_FLAGS.hasImage : 0);
    const before = this.lastResult[call] as number;
    this.lastResult[call] = this.results.length;
    this.results.push({ call, ordinal, bytes: block.text_bytes, flags, before });
    this.#changes.calls.add(call);
  }

  #callNumber(id: string): number {
    const call = this.calls.numberOf(id);
    if (call < this.calledAt.length) return call;
    this.calledAt.push(NONE);
    this.itemOf.push(NONE);
    this.lastItemOf.push(NONE);
    this.lastResult.push(NONE);
    return call;
  }

  #addItem(message: MessageHead, item: OutlineItem, { turn, agent, model, time }: Place, isFirst: boolean): void {
    const { callId, resultOf } = item;
    const shownBy = resultOf === null || resultOf === '' ? NONE : this.#callNumber(resultOf);
    if (shownBy !== NONE && this.calledAt[shownBy] !== NONE) return;
    const call = callId === null ? NONE : callId === '' ? UNNAMED : this.#callNumber(callId);
    if (call >= 0 && this.itemOf[call] === NONE) this.itemOf[call] = this.count;
    if (shownBy !== NONE) this.#unclaimed.push({ call: shownBy, item: this.count });
    this.#noteAgent(agent);
    const { columns } = this;
    columns.sameCall.push(call < 0 ? NONE : (this.lastItemOf[call] as number));
    if (call >= 0) this.lastItemOf[call] = this.count;
    columns.ordinal.push(message.ordinal);
    columns.block.push(item.block);
    columns.kind.push(item.kind);
    columns.size.push(item.size);
    columns.flags.push(message.is_inherited ? item.flags | ITEM_FLAGS.inherited : item.flags);
    columns.isModel.push(message.origin === 'model');
    columns.time.push(time);
    columns.cost.push(isFirst ? message.cost_nanos : null);
    columns.context.push(isFirst ? message.context_tokens : null);
    columns.turn.push(turn);
    columns.agent.push(agent);
    columns.model.push(model);
    columns.call.push(call);
    this.#noteTurn(turn, this.count - 1);
  }

  #noteAgent(agent: number): void {
    if (agent === NONE) return;
    const own = (this.agentItems[agent] ??= { count: 0, first: NONE });
    if (own.count === 0) own.first = this.count;
    own.count += 1;
  }

  #noteTurn(turn: number, item: number): void {
    if (turn === NONE) return void this.#former.push(null);
    const former = this.#factsOf(turn);
    this.#former.push(former);
    const { columns } = this;
    const ordinal = columns.ordinal[item] as number;
    const facts = { ...former, last: Math.max(former.last, ordinal) };
    if (columns.isModel[item] === true) {
      if (columns.model[item] !== NONE) facts.model = columns.model[item] as number;
      // A text that is followed by a call announces it, and is not the final answer.
      if (columns.call[item] !== NONE) facts.answer = NONE;
      else if (columns.kind[item] === ANSWER) facts.answer = ordinal;
    }
    this.turnFacts[turn] = facts;
  }
}

/** Removes entries from the end as long as they meet a condition. */
function popWhile<T>(list: T[], isGone: (entry: T) => boolean, undo: (entry: T) => void = () => {}): void {
  for (let last = list.at(-1); last !== undefined && isGone(last); last = list.at(-1)) {
    list.pop();
    undo(last);
  }
}

interface TurnFacts {
  /** Position of its last message; -1 for none, as for the others. */
  readonly last: number;
  /** Position of its final answer. */
  readonly answer: number;
  /** Number of the model that was used last. */
  readonly model: number;
  /** Its cost, without messages copied from another session, which are counted there. Null if nothing has a price. */
  readonly nanos: number | null;
}

export const NO_FACTS: TurnFacts = { last: NONE, answer: NONE, model: NONE, nanos: null };

interface Place {
  readonly turn: number;
  readonly agent: number;
  readonly model: number;
  readonly time: number | null;
}

interface FoundResult {
  readonly call: number;
  readonly ordinal: number;
  readonly bytes: number;
  readonly flags: number;
  /** The result of the same call before this one; -1 if there is none. */
  readonly before: number;
}

interface Price {
  readonly ordinal: number;
  readonly turn: number;
  /** The cost of the turn without it. */
  readonly before: number | null;
}

/** Numbers for ids. Neighbors nearly always have the same id. */
class Names {
  readonly list: string[] = [];
  readonly #numbers = new Map<string, number>();
  #last: string | null = null;
  #lastNumber = NONE;

  /** -1 for null. */
  numberOf(name: string | null): number {
    if (name === this.#last) return this.#lastNumber;
    this.#last = name;
    this.#lastNumber = name === null ? NONE : this.#find(name);
    return this.#lastNumber;
  }

  /** -1 if it was never named. */
  known(name: string): number {
    return this.#numbers.get(name) ?? NONE;
  }

  #find(name: string): number {
    const known = this.#numbers.get(name);
    if (known !== undefined) return known;
    this.#numbers.set(name, this.list.length);
    return this.list.push(name) - 1;
  }
}
