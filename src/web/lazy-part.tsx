import { type ComponentType, createElement, type ReactNode, use } from 'react';
import { whenReachable } from './api/connection.ts';

export interface LazyPart<P extends object> {
  (props: P): ReactNode;
  readonly preload: () => void;
}

/**
 * A part of the page whose code is loaded when it is first shown. Once it is preloaded it is shown at once; React's own
 * lazy() would leave its place empty for 300 ms even then, and keys pressed in that time would be lost.
 */
export function lazyPart<P extends object>(load: () => Promise<ComponentType<P>>): LazyPart<P> {
  let loaded: ComponentType<P> | undefined;
  let loading: Promise<ComponentType<P>> | undefined;
  const start = () => {
    loading ??= whenReachable()
      .then(load)
      .then((part) => (loaded = part))
      .catch((error: unknown) => {
        loading = undefined;
        throw error;
      });
    return loading;
  };
  const Part = (props: P) => createElement(loaded ?? use(start()), props);
  // If loading fails now, it is retried, or the failure reported, when the part is shown.
  return Object.assign(Part, { preload: () => void start().catch(() => {}) });
}
