import { highlightLines } from './highlight.ts';
import type { Highlighted } from './highlight.ts';

export interface HighlightRequest {
  readonly id: number;
  readonly text: string;
  readonly language: string;
}

export interface HighlightAnswer {
  readonly id: number;
  readonly lines: Highlighted;
}

globalThis.addEventListener('message', ({ data }: MessageEvent<HighlightRequest>) => {
  const answer: HighlightAnswer = { id: data.id, lines: highlightLines(data.text, data.language) };
  globalThis.postMessage(answer);
});
