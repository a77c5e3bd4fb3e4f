import type { ChangeWatch, Engine } from '../../store/engine.ts';

/** Wakes the followers of the store. The store is watched only while there are any. */
export interface LiveHub {
  /** Gives the way to stop it. */
  subscribe(listener: () => void): () => void;
  /** Something that the store does not know has changed, for example the progress of an import. */
  poke(): void;
  close(): Promise<void>;
}

export function createLiveHub(engine: Pick<Engine, 'onChange'>): LiveHub {
  const listeners = new Set<() => void>();
  let watch: ChangeWatch | null = null;
  const poke = () => {
    for (const listener of listeners) listener();
  };
  const stopWatching = async () => {
    const ended = watch?.close();
    watch = null;
    await ended;
  };
  return {
    subscribe: (listener) => {
      listeners.add(listener);
      watch ??= engine.onChange(poke);
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0) void stopWatching();
      };
    },
    poke,
    close: stopWatching,
  };
}
