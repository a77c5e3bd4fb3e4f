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

/** A journal that also notes when records are appended and when they are flushed to the disk. */
export function recordJournal(journal: ArchiveJournal): { readonly journal: ArchiveJournal; readonly calls: string[] } {
  const calls: string[] = [];
  return {
    calls,
    journal: {
      ...journal,
      append: async (...records) => {
        calls.push('append');
        await journal.append(...records);
      },
      flush: async () => {
        calls.push('flush');
        await journal.flush();
      },
    },
  };
}
