import { FuelError } from '../domain/errors.ts';
import type { DataSource } from '../app/data-source.ts';

export interface DemoHolder {
  /** Loads the demo once; callers that come meanwhile wait for the same load. A failed load may be tried again. */
  open(): Promise<DataSource>;
  /** Errors: not_found before the demo is open. */
  current(): DataSource;
}

export function createDemoHolder(openDemo: () => Promise<DataSource>): DemoHolder {
  let opening: Promise<DataSource> | null = null;
  let opened: DataSource | null = null;

  async function load(): Promise<DataSource> {
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
