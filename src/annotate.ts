import type { App } from './app.ts';
import { type Annotation, annotationToJournal } from './domain/annotation.ts';
import type { Tx } from './store/engine.ts';

/** What a person says about a session goes into the store and into the journal, so that a rebuild remembers it. */
export async function annotate(
  { store, journal }: Pick<App, 'store' | 'journal'>,
  change: (tx: Tx) => Promise<Annotation>,
): Promise<Annotation> {
  return store.engine.transaction(async (tx) => {
    const annotation = await change(tx);
    await journal.append(annotationToJournal(annotation));
    await journal.flush();
    return annotation;
  });
}
