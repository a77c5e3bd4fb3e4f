import type { transcriptEndpoints } from '../../api/transcript.ts';
import { FuelError } from '../../domain/errors.ts';
import { sendExport } from '../send-export.ts';
import { sendFile } from '../send-file.ts';
import type { Handlers } from '../route.ts';

const MAIN = 'main';

export const transcriptHandlers: Handlers<typeof transcriptEndpoints> = {
  'GET /sessions/:id/transcript': ({ params, query: { agent_id, ...page } }, { reads }) =>
    reads.getTranscript(params.id, { ...page, agentIds: agent_id?.map((id) => (id === MAIN ? null : id)) }),
  'GET /sessions/:id/transcript/raw': async ({ params, query, context }, { reads }) =>
    sendFile(context, await reads.openFile(params.id, query.file)),
  'GET /sessions/:id/transcript/links': async ({ params, query }, { reads }) =>
    (await reads.openFile(params.id, query.file)).links(),
  'GET /sessions/:id/export': async ({ params, query, context }, { reads, exportSlots }) => {
    const { format, raw } = query;
    if (raw && format === 'html')
      throw new FuelError('usage', 'raw works with format=json only: a page is always redacted.');
    const file = format === 'html' ? await reads.openPage(params.id) : await reads.exportSession(params.id, { raw });
    const type = format === 'html' ? 'text/html; charset=utf-8' : 'application/json';
    return sendExport(context, exportSlots, { name: file.fileName, type, texts: file.texts });
  },
  'GET /sessions/:id/messages/:message_id/path': ({ params }, { reads }) => reads.getPath(params.id, params.message_id),
};
