import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { type FuelError, toFuelError } from '../domain/errors.ts';
import { SHARE_PATH } from '../domain/requests.ts';
import { RETRY_AFTER_SECONDS } from './limits.ts';
import type { RequestContext } from './route.ts';

interface ErrorBody {
  readonly error: {
    readonly code: string;
    readonly message: string;
    readonly hint: string | null;
    /** Position of the error in the given text, in characters from 0. */
    readonly position: number | null;
  };
}

export interface ServerLog {
  warn(message: string, fields?: Record<string, unknown>): void;
  error(message: string, fields?: Record<string, unknown>): void;
}

/** The public part of an error. A bug of ours shows neither message nor stack. */
export function errorBody(error: FuelError): ErrorBody {
  if (error.code !== 'internal') {
    const { code, message, hint = null, position = null } = error;
    return { error: { code, message, hint, position } };
  }
  return {
    error: {
      code: 'internal',
      message: 'Internal error in fuel-code.',
      hint: 'Details are in the server log; please report them.',
      position: null,
    },
  };
}

export function errorAnswer(
  context: RequestContext,
  error: FuelError,
  headers: Readonly<Record<string, string>> = {},
): Response {
  // F7: clients should retry, but not immediately.
  const later: Readonly<Record<string, string>> =
    error.status === 503 || error.status === 429 ? { 'retry-after': String(RETRY_AFTER_SECONDS) } : {};
  return context.json(errorBody(error), error.status as ContentfulStatusCode, { ...later, ...headers });
}

/** The address of a shared page contains its secret. */
function pathOf({ req: { path } }: RequestContext): string {
  return path.startsWith(SHARE_PATH) ? `${SHARE_PATH}…` : path;
}

/** The only place where the server catches: anything thrown becomes a response, and bugs are logged. */
export function answerThrown(context: RequestContext, thrown: unknown, log: ServerLog): Response {
  const error = toFuelError(thrown);
  if (error.status >= 500) {
    const cause = error.cause instanceof Error ? error.cause.stack : undefined;
    log.error('request failed', {
      method: context.req.method,
      path: pathOf(context),
      code: error.code,
      message: error.message,
      cause,
    });
  }
  return errorAnswer(context, error);
}
