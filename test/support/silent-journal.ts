import type { ArchiveJournal } from '../../src/domain/ports.ts';

/** A journal that remembers nothing, for tests that are about something else. */
export const silentJournal: ArchiveJournal = {
  name: 'silent',
  append: async () => {},
  flush: async () => {},
  read: async function* () {},
  isEmpty: async () => true,
  repair: async () => {},
};
