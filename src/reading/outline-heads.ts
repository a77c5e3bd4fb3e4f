import { type BlockHead, ITEM_FLAGS, type MessageHead } from '../domain/outline.ts';
import { type OutlineItem, readItems } from './outline-items.ts';

const NONE = -1;
/** A call without an id: nothing can refer to it. */
const UNNAMED = -2;

/**
 * The items of a session as far as messages alone determine them, in columns of numbers: ids are replaced by their
 * position in a list. Messages are added in order; `cut` takes back those from a position on.
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
    /** Of a result that came before its call: the call. */
    resultOf: [] as number[],
  };
  readonly turns = new Names();
  readonly agents = new Names();
  readonly models = new Names();
  readonly calls = new Names();
  /** By call: the positions of its first block and of its first item, and its last result; -1 for none. */
  readonly calledAt: number[] = [];
  readonly itemOf: number[] = [];
  readonly lastResult: number[] = [];
  readonly results: FoundResult[] = [];
  /** Answers with a price, also those of which nothing is shown. */
  readonly prices: Price[] = [];

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

  /** Takes back all messages from this position on. */
  cut(ordinal: number): void {
    let count = this.count;
    while (count > 0 && (this.columns.ordinal[count - 1] as number) >= ordinal) count -= 1;
    for (const column of Object.values(this.columns)) column.length = count;
    while ((this.prices.at(-1)?.ordinal ?? NONE) >= ordinal) this.prices.pop();
    for (let last = this.results.at(-1); last !== undefined && last.ordinal >= ordinal; last = this.results.at(-1)) {
      this.lastResult[last.call] = last.before;
      this.results.pop();
    }
    for (let call = 0; call < this.calledAt.length; call += 1) {
      if ((this.calledAt[call] as number) >= ordinal) this.calledAt[call] = NONE;
      if ((this.itemOf[call] as number) >= count) this.itemOf[call] = NONE;
    }
  }

  #addMessage(message: MessageHead, blocks: readonly BlockHead[]): void {
    const turn = this.turns.numberOf(message.turn_id);
    if (turn !== NONE && message.cost_nanos !== null)
      this.prices.push({ ordinal: message.ordinal, turn, nanos: message.cost_nanos });
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
      if (this.calledAt[call] === NONE) this.calledAt[call] = ordinal;
    }
    if (tool_result_id === null) return;
    // An interrupted call can get a placeholder first and its real result later, so the last one counts.
    const call = this.#callNumber(tool_result_id);
    const flags = (block.is_error ? ITEM_FLAGS.error : 0) | (block.has_image ? ITEM_FLAGS.hasImage : 0);
    const before = this.lastResult[call] as number;
    this.lastResult[call] = this.results.length;
    this.results.push({ call, ordinal, bytes: block.text_bytes, flags, before });
  }

  #callNumber(id: string): number {
    const call = this.calls.numberOf(id);
    if (call < this.calledAt.length) return call;
    this.calledAt.push(NONE);
    this.itemOf.push(NONE);
    this.lastResult.push(NONE);
    return call;
  }

  #addItem(message: MessageHead, item: OutlineItem, { turn, agent, model, time }: Place, isFirst: boolean): void {
    const { callId, resultOf } = item;
    const shownBy = resultOf === null || resultOf === '' ? NONE : this.#callNumber(resultOf);
    if (shownBy !== NONE && this.calledAt[shownBy] !== NONE) return;
    const call = callId === null ? NONE : callId === '' ? UNNAMED : this.#callNumber(callId);
    if (call >= 0 && this.itemOf[call] === NONE) this.itemOf[call] = this.count;
    const { columns } = this;
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
    columns.resultOf.push(shownBy);
  }
}

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
  readonly nanos: number;
}

/** Numbers for ids. Neighbours nearly always have the same. */
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
