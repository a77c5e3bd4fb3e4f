import type { App } from './open-app.ts';
import { type Annotation, annotationToJournal } from '../domain/annotation.ts';
import { refreshIndexedTexts } from '../pipeline/index-session.ts';
import type { Tx } from '../store/engine.ts';

/** What a person says about a session goes into the store and into the journal, so that a rebuild remembers it. */
export async function annotate(
  { store, journal }: Pick<App, 'journal'> & { readonly store: Pick<App['store'], 'engine'> },
  change: (tx: Tx) => Promise<Annotation>,
): Promise<Annotation> {
  const annotation = await store.engine.transaction(async (tx) => {
    const made = await change(tx);
    await journal.append(annotationToJournal(made));
    await journal.flush();
    return made;
  });
  if (annotation.what !== 'tagged' && annotation.what !== 'pinned') {
    await refreshIndexedTexts(store.engine, annotation.sessionId);
  }
  return annotation;
}
