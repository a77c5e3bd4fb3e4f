import { FuelError } from '../domain/errors.ts';
import type { Reads } from '../app/queries.ts';

export interface DemoHolder {
  /** Loads the demo once; callers that come meanwhile wait for the same load. A failed load may be tried again. */
  open(): Promise<Reads>;
  /** Errors: not_found before the demo is open. */
  current(): Reads;
}

export function createDemoHolder(openDemo: () => Promise<Reads>): DemoHolder {
  let opening: Promise<Reads> | null = null;
  let opened: Reads | null = null;

  async function load(): Promise<Reads> {
    try {
      opened = await openDemo();
      return opened;
    } catch (thrown) {
      opening = null;
      throw thrown;
    }
  }

  return {
    open: () => (opening ??= load()),
    current() {
      if (opened !== null) return opened;
      throw new FuelError('not_found', 'The demo is not loaded.', { hint: 'Load it with POST /api/demo.' });
    },
  };
}
