import type { Client, Transport } from '../../client/client.ts';
import { connectServer } from '../../client/prove-server.ts';
import type { Config } from '../../config.ts';
import { FuelError, NO_SUCH_ROUTE } from '../../domain/errors.ts';
import { isOpenOnTheWay, readServerUrl } from '../../domain/server-address.ts';
import type { ParsedArguments } from '../command.ts';

export interface Address {
  /** Without a trailing slash. */
  readonly origin: string;
  readonly token: string;
}

/** The server to use and its token. Errors: usage, bad_config. */
export function readAddress(config: Config, { values }: ParsedArguments): Address {
  const given = values.get('server');
  const url = given === undefined ? config.serverUrl : readServerUrl(given);
  if (url === null) throw given === undefined ? noServer() : badAddress(given);
  const { origin } = new URL(url);
  if (isOpenOnTheWay(url) && !config.serverAllowHttp) {
    throw new FuelError('bad_config', `${origin} is on another machine and not encrypted.`, {
      hint: 'Use https, or set serverAllowHttp if you trust the network.',
    });
  }
  if (config.serverToken !== null) return { origin, token: config.serverToken };
  throw new FuelError('bad_config', `No token configured for the server at ${origin}.`, {
    hint: 'Set serverToken or FUEL_CODE_SERVER_TOKEN to the contents of the file `token` in the data folder of the server.',
  });
}

function noServer(): FuelError {
  return new FuelError('bad_config', 'No server is configured.', {
    hint: 'Set serverUrl and serverToken, or use --server; see docs/self-hosting.md.',
  });
}

function badAddress(given: string): FuelError {
  const shown = JSON.stringify(given.replace(/#.*$/s, '#…'));
  return new FuelError('usage', `--server must be a URL such as https://fuel.example.org, but is ${shown}.`, {
    hint: 'Do not put the token in the URL; set FUEL_CODE_SERVER_TOKEN instead.',
  });
}

const PROOF_TIMEOUT_MS = 15_000;

/** A client for that server, after the server has proved that it knows the token. Errors: unreachable, unauthorized. */
export function connect({ origin, token }: Address, stop: AbortSignal): Promise<Client> {
  const proofSignal = AbortSignal.timeout(PROOF_TIMEOUT_MS);
  return connectServer({ origin, token, transport: transportTo(origin, stop), proofSignal });
}

/** `fetch` that is aborted with the command and names the server in errors. */
function transportTo(origin: string, stop: AbortSignal): Transport {
  return async (url, init) => {
    const signal = AbortSignal.any([stop, ...(init.signal ? [init.signal] : [])]);
    const response = await fetch(url, { ...init, signal }).catch((cause: unknown) => {
      throw stop.aborted
        ? new FuelError('interrupted', 'Interrupted before the server responded.')
        : away(origin, cause);
    });
    if (await lacksRoute(response)) throw tooOld(origin);
    return response;
  };
}

function away(origin: string, thrown: unknown): FuelError {
  const { cause = thrown } = thrown as { readonly cause?: unknown };
  const { code, message } = cause as { readonly code?: string; readonly message?: string };
  return new FuelError(
    'unreachable',
    `The server at ${origin} is not responding: ${code ?? message ?? 'unknown error'}.`,
    {
      hint: 'Check that it is running and that the URL is correct.',
      cause: thrown,
    },
  );
}

async function lacksRoute(response: Response): Promise<boolean> {
  if (response.status === 405) return true;
  if (response.status !== 404) return false;
  const body: unknown = await response
    .clone()
    .json()
    .catch(() => null);
  return Object(Object(body).error).message === NO_SUCH_ROUTE;
}

function tooOld(origin: string): FuelError {
  return new FuelError('unreachable', `The server at ${origin} does not support this request.`, {
    hint: 'It runs an older version of fuel-code; update it.',
  });
}
