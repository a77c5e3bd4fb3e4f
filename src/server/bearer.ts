import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { FuelError } from '../domain/errors.ts';
import { MAX_FAILING_ADDRESSES, TOKEN_FAILURE_WINDOW_MS } from './limits.ts';

/** H8: hashing first makes both sides equally long, so that the comparison takes the same time for every guess. */
export function isSameToken(given: string, expected: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}

export function bearerOf(authorization: string | undefined): string | null {
  return /^bearer ([!-~]{1,512})$/i.exec(authorization ?? '')?.[1] ?? null;
}

/**
 * L9: shows that the server at this host and port knows the token, without sending it. With the place in it, an
 * impostor on another port cannot pass on what the real server answers.
 */
export function proofOf(token: string, { nonce, host }: { readonly nonce: string; readonly host: string }): string {
  return createHmac('sha256', token).update(`${nonce}\n${host}`).digest('hex');
}

export function unauthorized(isTokenGiven: boolean): FuelError {
  const message = isTokenGiven ? 'Wrong bearer token.' : 'This route requires a bearer token.';
  return new FuelError('unauthorized', message, {
    hint: 'Run `fuel-code` again; it prints a URL that contains the token.',
  });
}

export function revokedToken(): FuelError {
  return new FuelError('unauthorized', 'The token of this device was revoked on the server.', {
    hint: 'Run `fuel-code devices add NAME` on the server and set serverToken to the token it prints.',
  });
}

export interface FailureCounter {
  /** Counts one failure and gives how many the address has had in the current minute. */
  fail(address: string): number;
}

/**
 * H9. Only failures are counted and only failures are slowed down: the right token always passes, so that a wrong page
 * left open in a tab, or another program on this machine, cannot lock the owner out. 256 bits need no more.
 */
export function createFailureCounter(nowMs: () => number): FailureCounter {
  const windows = new Map<string, { readonly startMs: number; failures: number }>();

  return {
    fail(address) {
      const now = nowMs();
      let window = windows.get(address);
      if (window === undefined || now - window.startMs >= TOKEN_FAILURE_WINDOW_MS) {
        windows.delete(address);
        window = { startMs: now, failures: 0 };
        windows.set(address, window);
        const oldest = windows.size > MAX_FAILING_ADDRESSES ? windows.keys().next().value : undefined;
        if (oldest !== undefined) windows.delete(oldest);
      }
      window.failures += 1;
      return window.failures;
    },
  };
}
