import type { ArchiveJournal } from '../../src/domain/ports.ts';

/** A journal that stores nothing, for unrelated tests. */
export const silentJournal: ArchiveJournal = {
  name: 'silent',
  append: async () => {},
  flush: async () => {},
  read: async function* () {},
  isEmpty: async () => true,
  repair: async () => {},
  erase: async () => 0,
};
