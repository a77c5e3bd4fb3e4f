import type { InfiniteData } from '@tanstack/react-query';
import type { MessageRow, TranscriptPage } from '../../api/transcript.ts';

type Loaded = InfiniteData<TranscriptPage, number | undefined>;

/** Merges live messages into the pages of a transcript: known messages are replaced, new ones appended. */
export function mergeMessages(loaded: Loaded, news: readonly MessageRow[]): Loaded {
  const last = loaded.pages.at(-1);
  // If the transcript is not fully loaded, new messages arrive with the pages still to be fetched.
  const isWhole = last !== undefined && last.next_after === null;
  const byId = new Map(news.map((message) => [message.id, message]));
  const known = new Set(loaded.pages.flatMap(({ messages }) => messages.map(({ id }) => id)));
  const added = isWhole ? news.filter(({ id }) => !known.has(id)) : [];
  const pages = loaded.pages.map((page, index) => {
    const isChanged = page.messages.some(({ id }) => byId.has(id));
    const messages = isChanged ? page.messages.map((message) => byId.get(message.id) ?? message) : page.messages;
    const isLast = index === loaded.pages.length - 1 && added.length > 0;
    return isChanged || isLast ? { ...page, messages: isLast ? [...messages, ...added] : messages } : page;
  });
  return { ...loaded, pages };
}
