import { storedToken } from './token.ts';

/** Where answers come from: the person's own sessions or the demo. */
export type ApiBase = '/api' | '/demo/api';

export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly hint: string | null;

  constructor(status: number, code: string, message: string, hint: string | null) {
    super(message);
    this.name = 'ApiError';
    this.status = status;
    this.code = code;
    this.hint = hint;
  }
}

interface ErrorAnswer {
  readonly error?: { readonly code?: string; readonly message?: string; readonly hint?: string | null };
}

async function call<T>(method: 'GET' | 'POST', path: string, signal?: AbortSignal): Promise<T> {
  const response = await fetch(path, {
    method,
    headers: { authorization: `Bearer ${storedToken() ?? ''}` },
    credentials: 'omit',
    cache: 'no-store',
    signal,
  }).catch((cause: unknown) => {
    if (signal?.aborted === true) throw cause;
    throw new ApiError(
      0,
      'unreachable',
      'fuel-code does not answer.',
      'Is it still running? Start it again with `fuel-code`.',
    );
  });
  const body: unknown = await response.json().catch(() => null);
  if (response.ok) return body as T;
  const { error } = (body ?? {}) as ErrorAnswer;
  throw new ApiError(
    response.status,
    error?.code ?? 'internal',
    error?.message ?? `The server answered ${response.status}.`,
    error?.hint ?? null,
  );
}

export function apiGet<T>(path: string, signal?: AbortSignal): Promise<T> {
  return call<T>('GET', path, signal);
}

export function apiPost<T>(path: string): Promise<T> {
  return call<T>('POST', path);
}
