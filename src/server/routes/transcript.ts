import { FuelError } from '../../domain/errors.ts';
import type { Handlers } from '../route.ts';
import { sendExport } from '../send-export.ts';
import { sendFile } from '../send-file.ts';

export const transcriptHandlers = {
  'GET /sessions/:id/transcript/raw': async ({ params, query, context }, { data }) =>
    sendFile(context, await data.openFile(params.id, query.file)),
  'GET /sessions/:id/export': async ({ params, query, context }, { data, exportSlots }) => {
    if (query.raw && query.format === 'html')
      throw new FuelError('usage', 'raw works with format=json only: a page is always redacted.');
    const file = await data.exportSession(params.id, query);
    const type = query.format === 'html' ? 'text/html; charset=utf-8' : 'application/json';
    return sendExport(context, exportSlots, { name: file.fileName, type, texts: file.texts });
  },
} satisfies Partial<Handlers>;
