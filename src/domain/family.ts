import { chooseAmong, createComparison, identityOf, type SessionSigns, type SharedMessage } from './ownership.ts';

/** How sessions that share messages are related. */
export interface FamilySettlement {
  /** By identity: the owner of each message that several sessions contain. */
  readonly owners: ReadonlyMap<string, string>;
  /** By session: the part it copied from another one. Sessions without a copied part are absent. */
  readonly copies: ReadonlyMap<string, CopiedBeginning>;
}

interface CopiedBeginning {
  readonly parentId: string;
  readonly isCertain: boolean;
  /** The last copied message. */
  readonly throughId: string;
}

/**
 * Assigns every message to one session, and finds which part each session copied from which other one. `fixed` are
 * messages whose owner is not among these sessions.
 */
export function settleFamily(
  messages: readonly SharedMessage[],
  signs: ReadonlyMap<string, SessionSigns>,
  fixed: ReadonlyMap<string, string> = new Map(),
): FamilySettlement {
  const compare = createComparison(messages, signs);
  const owners = new Map([...chooseAmong(messages, compare), ...fixed]);
  const copies = new Map<string, CopiedBeginning>();
  for (const [sessionId, own] of Map.groupBy(messages, (message) => message.sessionId)) {
    const last = lastForeign(own, owners);
    if (last === null) continue;
    const parentId = owners.get(identityOf(last)) as string;
    const isCertain = fixed.has(identityOf(last)) || last.isInherited || compare(sessionId, parentId).isCertain;
    copies.set(sessionId, { parentId, isCertain, throughId: last.id });
  }
  return { owners, copies };
}

/** A copy is made when its file is created: everything up to the last message of another session was copied. */
function lastForeign(own: readonly SharedMessage[], owners: ReadonlyMap<string, string>): SharedMessage | null {
  let last: SharedMessage | null = null;
  for (const message of own) {
    if (!message.isMainThread) continue;
    const owner = owners.get(identityOf(message));
    if (owner === undefined || owner === message.sessionId) continue;
    if (last === null || message.ordinal > last.ordinal) last = message;
  }
  return last;
}
