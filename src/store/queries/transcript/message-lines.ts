import { FuelError } from '../../../domain/errors.ts';
import type { Tx } from '../../engine.ts';
import { ofCurrentRevision } from '../../sql.ts';
import { readJson } from '../../text.ts';

/** The place of a line in the archive. */
export interface ArchivedLine {
  readonly fileId: string;
  readonly from: number;
  readonly to: number;
}

const KEY = /^(.+)#(\d+)\+(\d+)$/;

/** The lines that a message of the current revision was read from, in order. Errors: not_found. */
export async function readMessageLines(db: Tx, sessionId: string, messageId: string): Promise<readonly ArchivedLine[]> {
  const row = await db
    .selectFrom('transcript_messages as m')
    .innerJoin('sessions as s', ofCurrentRevision('m'))
    .select('m.raw_message')
    .where('m.session_id', '=', sessionId)
    .where('m.id', '=', messageId)
    .executeTakeFirst();
  if (row === undefined) throw noSuchMessage();
  return readJson<readonly string[]>(row.raw_message).flatMap((key) => {
    const [, fileId = '', offset = '', length = ''] = KEY.exec(key) ?? [];
    return fileId === '' ? [] : [{ fileId, from: Number(offset), to: Number(offset) + Number(length) }];
  });
}

export function noSuchMessage(): FuelError {
  return new FuelError('not_found', 'The session has no message with that id.', {
    hint: 'Message ids are in the transcript; reparsing keeps them.',
  });
}

/** A block of a message, and how many blocks of the same type come before it in the message. */
export interface BlockPlace {
  readonly blockType: string;
  readonly index: number;
}

/** Errors: not_found. */
export async function findBlock(
  db: Tx,
  sessionId: string,
  { messageId, blockOrder }: { readonly messageId: string; readonly blockOrder: number },
): Promise<BlockPlace> {
  const rows = await db
    .selectFrom('content_blocks as b')
    .innerJoin('sessions as s', ofCurrentRevision('b'))
    .select(['b.block_type', 'b.block_order'])
    .where('b.session_id', '=', sessionId)
    .where('b.message_id', '=', messageId)
    .where('b.block_order', '<=', blockOrder)
    .orderBy('b.block_order')
    .execute();
  const found = rows.at(-1);
  if (found?.block_order !== blockOrder) throw new FuelError('not_found', 'The message has no block with that number.');
  const before = rows.filter(({ block_type }) => block_type === found.block_type);
  return { blockType: found.block_type, index: before.length - 1 };
}
