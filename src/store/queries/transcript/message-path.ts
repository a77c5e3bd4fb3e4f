import type { MessagePath } from '../../../api/transcript.ts';
import { pathSeenByModel } from '../../../domain/message-path.ts';
import type { MessageOrigin, TranscriptMessage } from '../../../domain/transcript.ts';
import type { Tx } from '../../engine.ts';
import { ofCurrentRevision } from '../../sql.ts';
import { readJson } from '../../text.ts';
import { noSuchMessage } from './message-lines.ts';

/** The model's context when it wrote a message of the current revision. Errors: not_found. */
export async function readMessagePath(db: Tx, sessionId: string, messageId: string): Promise<MessagePath> {
  const messages = await loadPlaces(db, sessionId);
  const target = messages.find(({ id }) => id === messageId);
  if (target === undefined) throw noSuchMessage();
  const path = pathSeenByModel(
    { messages, compactions: await loadPreserved(db, sessionId), toolCalls: await loadCalls(db, sessionId) },
    messageId,
  );
  return {
    message_ids: path.map(({ id }) => id),
    ordinals: path.map(({ ordinal }) => ordinal),
    turn_id: target.turnId,
  };
}

async function loadPlaces(db: Tx, sessionId: string) {
  const rows = await db
    .selectFrom('transcript_messages as m')
    .innerJoin('sessions as s', ofCurrentRevision('m'))
    .select(['m.id', 'm.ordinal', 'm.uuid', 'm.parent_message_id', 'm.turn_id', 'm.message_type', 'm.subtype'])
    .select('m.origin')
    .where('m.session_id', '=', sessionId)
    .orderBy('m.ordinal')
    .execute();
  return rows.map((row) => ({
    id: row.id,
    ordinal: row.ordinal,
    uuid: row.uuid,
    parentMessageId: row.parent_message_id,
    turnId: row.turn_id,
    messageType: row.message_type as TranscriptMessage['messageType'],
    subtype: row.subtype,
    origin: row.origin as MessageOrigin,
  }));
}

async function loadPreserved(db: Tx, sessionId: string) {
  const rows = await db
    .selectFrom('compactions as c')
    .innerJoin('sessions as s', ofCurrentRevision('c'))
    .select(['c.id', 'c.preserved_uuids'])
    .where('c.session_id', '=', sessionId)
    .execute();
  return rows.map(({ id, preserved_uuids }) => ({ id, preservedUuids: readJson<readonly string[]>(preserved_uuids) }));
}

function loadCalls(db: Tx, sessionId: string) {
  return db
    .selectFrom('tool_calls as c')
    .innerJoin('sessions as s', ofCurrentRevision('c'))
    .select(['c.message_id as messageId', 'c.result_message_id as resultMessageId'])
    .where('c.session_id', '=', sessionId)
    .execute();
}
