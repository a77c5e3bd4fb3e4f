import { createRedactor } from '../redact.ts';

/** A redactor with one home directory of its own, for tests. */
export const redactor = createRedactor({ homes: ['/srv/people/ada'] });
export const redact = (text: string) => redactor.text(text).value;

/** For tests that repeat with other random secrets. */
export const SEEDS = [1, 2, 3, 4, 5];
