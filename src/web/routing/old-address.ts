import { formatPlace, parsePlace } from './place.ts';

/** Addresses up to version 0.1 had the screen in their fragment: `#/session/<id>?at=<ordinal>`. */
export function replaceOldAddress(replace: (address: string) => void): void {
  const { hash } = window.location;
  if (hash.startsWith('#/')) replace(formatPlace(parsePlace(hash.slice(1))));
}
