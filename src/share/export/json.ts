import type { ExportedSession } from '../../api/export.ts';
import { EXPORT_SCHEMA_VERSION } from '../../domain/requests.ts';
import { readAllParts } from '../../reading/parts.ts';
import { WHOLE } from '../../reading/read-messages.ts';
import { exportedMessages, type SessionExport } from './session-export.ts';

/** A session as JSON, described by docs/export-schema.json. Messages come last, one per line, as they are read. */
export async function* jsonOf(given: SessionExport, isRedacted: boolean): AsyncGenerator<string> {
  const { get, session, turns, span, showIds } = given;
  const { notes: _notes, tags: _tags, device_id: _id, device_name: _name, files: _files, ...shown } = session;
  const head: Omit<ExportedSession, 'messages'> = {
    schema: 'fuel-code/session-export',
    schema_version: EXPORT_SCHEMA_VERSION,
    is_redacted: isRedacted,
    is_whole: span === WHOLE,
    session: shown,
    turns: turns.map(({ id, ordinal }, at) => ({ number: at + 1, message_id: id, ordinal })),
    subagents: await readAllParts(get, '/sessions/:id/subagents', session.id),
    compactions: await readAllParts(get, '/sessions/:id/compactions', session.id),
    branches: await readAllParts(get, '/sessions/:id/branches', session.id),
  };
  yield `${JSON.stringify(showIds(head)).slice(0, -1)},"messages":[`;
  let separator = '\n';
  for await (const message of exportedMessages(given)) {
    yield `${separator}${JSON.stringify(showIds(message))}`;
    separator = ',\n';
  }
  yield '\n]}\n';
}
