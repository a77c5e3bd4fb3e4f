import { Buffer } from 'node:buffer';
import { describedSessionSchema, MAX_CHUNK_BYTES, UPLOAD_FORMAT, uploadSchema } from '../../api/ingest.ts';
import type { Intake } from '../../app/serving.ts';
import { FuelError } from '../../domain/errors.ts';
import { errorBody } from '../errors.ts';
import { parseJson, parseWith, readBody, streamBody } from '../input.ts';
import { MAX_TRANSCRIPT_BYTES } from '../limits.ts';
import type { Handlers, RequestContext, RouteScope } from '../route.ts';
import { withSlot } from '../slots.ts';

/** JSON in ASCII: the device, file and position of the bytes in the body. */
const UPLOAD_HEADER = 'fuel-upload';
/** JSON in ASCII: the device of the session and how it started. */
const SESSION_HEADER = 'fuel-session';

export const ingestHandlers = {
  'POST /events/ingest': ({ body, context }, scope) =>
    intakeOf(scope).acceptEvents(context.get('sender'), body.device, body.events),

  'POST /git/ingest': async ({ body, context }, scope) => {
    const answer = await intakeOf(scope).acceptGit(context.get('sender'), body);
    if ('results' in answer) return answer;
    return conflict(context, 'late', { order: answer.late });
  },

  'POST /deletions/ingest': ({ body, context }, scope) =>
    intakeOf(scope).acceptDeletions(context.get('sender'), body.device, body.deletions),

  'POST /files/upload': ({ context }, scope) =>
    withSlot(scope.uploadSlots, async () => {
      const described = context.req.header(UPLOAD_HEADER) ?? '';
      if (isOtherFormat(described)) return updateNeeded(context);
      const upload = parseWith(uploadSchema, parseJson(Buffer.from(described), 'The header Fuel-Upload'));
      const bytes = await readBody(context, MAX_CHUNK_BYTES);
      const answer = await intakeOf(scope).acceptChunk(context.get('sender'), upload, bytes);
      if (answer.kind === 'gap') return conflict(context, 'gap', { size_bytes: answer.sizeBytes });
      if (answer.kind === 'other_bytes') return conflict(context, 'other_bytes', { generation: answer.generation });
      return context.json({ status: answer.kind, size_bytes: answer.sizeBytes });
    }),

  'POST /sessions/:id/transcript/upload': ({ params, context }, scope) =>
    withSlot(scope.uploadSlots, async () => {
      const body = streamBody(context, MAX_TRANSCRIPT_BYTES);
      const given = context.req.header(SESSION_HEADER);
      const described =
        given === undefined
          ? null
          : parseWith(describedSessionSchema, parseJson(Buffer.from(given), 'The header Fuel-Session'));
      const upload = { sessionId: params.id, described, body };
      const answer = await intakeOf(scope).acceptTranscript(context.get('sender'), upload);
      return context.json(answer, answer.status === 'uploaded' ? 202 : 200);
    }),
} satisfies Partial<Handlers>;

/** Errors: not_found if uploads are not accepted. */
function intakeOf({ intake }: RouteScope): Intake {
  if (intake !== null) return intake;
  throw new FuelError('not_found', 'This server does not accept uploads from other devices.');
}

function isOtherFormat(described: string): boolean {
  const format = /"format":\s*(\d{1,6})/.exec(described)?.[1];
  return format !== undefined && Number(format) !== UPLOAD_FORMAT;
}

/** E19. */
function updateNeeded(context: RequestContext): Response {
  const error = new FuelError('usage', `This server only accepts upload format ${UPLOAD_FORMAT}.`, {
    hint: 'Update the device and the server to the same version of fuel-code.',
  });
  return context.json(errorBody(error), 426);
}

const CONFLICTS = {
  gap: [409, 'The chunk does not start where the stored bytes end; see size_bytes.'],
  other_bytes: [412, 'The server has different bytes at this position; send the file as the generation given.'],
  late: [409, 'A later report of this device is already stored; see order.'],
} as const;

function conflict(context: RequestContext, which: keyof typeof CONFLICTS, fields: object): Response {
  const [status, message] = CONFLICTS[which];
  return context.json({ ...errorBody(new FuelError('conflict', message)), ...fields }, status);
}
