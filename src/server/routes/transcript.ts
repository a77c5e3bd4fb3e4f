import type { transcriptEndpoints } from '../../api/transcript.ts';
import { exportName } from '../../reading/export-name.ts';
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
    if (query.format === 'html') {
      const { fileName, texts } = await reads.openPage(params.id);
      return sendExport(context, exportSlots, { name: fileName, type: 'text/html; charset=utf-8', texts });
    }
    const session = await reads.getSession(params.id);
    const texts = reads.exportSession(session.id);
    return sendExport(context, exportSlots, { name: exportName(session, 'json'), type: 'application/json', texts });
  },
  'GET /sessions/:id/messages/:message_id/path': ({ params }, { reads }) => reads.getPath(params.id, params.message_id),
};
