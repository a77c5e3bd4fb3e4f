import { z } from 'zod';
import { FuelError } from '../../domain/errors.ts';
import { MAX_CHUNK_BYTES, UPLOAD_FORMAT, uploadSchema } from '../../ingest/upload-schema.ts';
import { errorAnswer, errorBody } from '../errors.ts';
import { parseQuery, sessionIdOf } from '../input.ts';
import { MAX_TRANSCRIPT_BYTES, UPLOAD_RETRY_SECONDS } from '../limits.ts';
import type { RequestContext, Route, RouteScope } from '../route.ts';
import { readBody, streamBody } from '../security.ts';
import { intakeOf, parseJson } from './ingest.ts';

/** JSON in ASCII: whose bytes the body holds, and where they belong. */
const UPLOAD_HEADER = 'fuel-upload';

export const transcriptAnswerSchema = z.object({
  status: z.enum(['uploaded', 'already_uploaded']),
  size_bytes: z.number(),
  sha256: z.string(),
  generation: z.number(),
});

export const fileUploadRoute: Route = {
  method: 'POST',
  path: '/api/files/upload',
  about: 'Takes a chunk of a file of another device, described by the header `Fuel-Upload`.',
  access: 'bearer',
  body: 'own',
  handle: (context, scope) =>
    inSlot(context, scope, async () => {
      parseQuery(context, z.strictObject({}));
      const described = context.req.header(UPLOAD_HEADER) ?? '';
      if (isOtherFormat(described)) return updateNeeded(context);
      const upload = parseJson(described, uploadSchema, 'The header Fuel-Upload');
      const answer = await intakeOf(scope).takeChunk(upload, await readBody(context, MAX_CHUNK_BYTES));
      if (answer.kind === 'gap') return conflict(context, 409, { size_bytes: answer.sizeBytes });
      if (answer.kind === 'other_bytes') return conflict(context, 412, { generation: answer.generation });
      return context.json({ status: answer.kind, size_bytes: answer.sizeBytes });
    }),
};

export const transcriptUploadRoute: Route = {
  method: 'POST',
  path: '/api/sessions/:id/transcript/upload',
  about: 'Takes the whole transcript of a session that is known; other bytes than before are kept beside those.',
  access: 'bearer',
  body: 'own',
  handle: (context, scope) =>
    inSlot(context, scope, async () => {
      parseQuery(context, z.strictObject({}));
      const sessionId = sessionIdOf(context);
      const body = streamBody(context, MAX_TRANSCRIPT_BYTES);
      const answer = await intakeOf(scope).takeTranscript({ sessionId, body });
      return context.json(answer, answer.status === 'uploaded' ? 202 : 200);
    }),
};

/** H19: more than a few at once wait outside. */
async function inSlot(context: RequestContext, scope: RouteScope, work: () => Promise<Response>): Promise<Response> {
  if (!scope.uploadSlots.take()) {
    const error = new FuelError('busy', 'Several uploads are under way already.');
    return errorAnswer(context, error, { status: 429, headers: { 'retry-after': String(UPLOAD_RETRY_SECONDS) } });
  }
  try {
    return await work();
  } finally {
    scope.uploadSlots.giveBack();
  }
}

function isOtherFormat(described: string): boolean {
  const format = /"format":\s*(\d{1,6})/.exec(described)?.[1];
  return format !== undefined && Number(format) !== UPLOAD_FORMAT;
}

/** E19. */
function updateNeeded(context: RequestContext): Response {
  const error = new FuelError('usage', `This server takes uploads of format ${UPLOAD_FORMAT} only.`, {
    hint: 'Bring device and server to the same version of fuel-code.',
  });
  return errorAnswer(context, error, { status: 426 });
}

const CONFLICTS = {
  409: 'The chunk does not begin where the bytes of this server end; size_bytes says where that is.',
  412: 'This server holds other bytes there; send the file as the generation it names.',
} as const;

function conflict(context: RequestContext, status: keyof typeof CONFLICTS, fields: object): Response {
  const error = new FuelError('conflict', CONFLICTS[status]);
  return context.json({ ...errorBody(error), ...fields }, status);
}
