import { useEffect, useState } from 'react';
import type { HighlightAnswer, HighlightRequest } from './highlight-worker.ts';
import type { Highlighted } from './highlight.ts';

/** Longer texts stay plain: nobody reads them word by word, and they would keep the worker busy. */
const MAX_CHARS = 120_000;
const MAX_CACHED = 300;

const cache = new Map<string, Highlighted>();
const waiting = new Map<number, (lines: Highlighted) => void>();
let worker: Worker | null = null;
let lastId = 0;

function startWorker(): Worker {
  const started = new Worker(new URL('./highlight-worker.ts', import.meta.url), { type: 'module' });
  started.addEventListener('message', ({ data }: MessageEvent<HighlightAnswer>) => {
    waiting.get(data.id)?.(data.lines);
    waiting.delete(data.id);
  });
  return started;
}

function request(text: string, language: string, onDone: (lines: Highlighted) => void): () => void {
  worker ??= startWorker();
  lastId += 1;
  const id = lastId;
  waiting.set(id, onDone);
  worker.postMessage({ id, text, language } satisfies HighlightRequest);
  return () => waiting.delete(id);
}

function remember(key: string, lines: Highlighted): void {
  cache.set(key, lines);
  const [oldest] = cache.keys();
  if (cache.size > MAX_CACHED && oldest !== undefined) cache.delete(oldest);
}

/** Tokens of a text, or null until they are known and for text without a known language. */
export function useHighlight(text: string, language: string | null): Highlighted | null {
  const isPlain = language === null || text.length > MAX_CHARS;
  const key = `${language}\n${text}`;
  const [done, setDone] = useState<{ readonly key: string; readonly lines: Highlighted } | null>(null);
  const known = isPlain ? null : (cache.get(key) ?? (done?.key === key ? done.lines : null));
  const isNeeded = !isPlain && known === null;
  useEffect(() => {
    if (!isNeeded || language === null) return undefined;
    return request(text, language, (lines) => {
      remember(key, lines);
      setDone({ key, lines });
    });
  }, [isNeeded, key, text, language]);
  return known;
}
