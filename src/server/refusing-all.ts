import { FuelError } from '../domain/errors.ts';

/** Replaces services of an unavailable database: every call, at any depth, is refused. */
export function refusingAll<T extends object>(): T {
  const refuse = () => Promise.reject(new FuelError('store_unavailable', 'The database is not responding.'));
  const nobody: object = new Proxy(refuse, { get: (_, name) => (name === 'then' ? undefined : nobody) });
  return nobody as T;
}
