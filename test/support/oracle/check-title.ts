import { requestsOf } from './check-narrative.ts';
import { fault, isExcerpt, lettersOf } from './judge.ts';
import type { RawSession } from './raw-session.ts';

interface Titled {
  readonly title: string | null;
  readonly initial_prompt: string | null;
  readonly client_title?: string | null;
}

/** Titles name the request; never a command of the client, and markup or JSON only if the person wrote it. */
export function faultsOfTitle({ title, initial_prompt }: Titled, raw: RawSession): readonly string[] {
  const [first] = requestsOf(raw);
  const prompt = initial_prompt ?? '';
  return [
    ...fault(title !== null && !/^\/(?:clear|model|exit|compact)\b/.test(title), `bad title: ${title}`),
    ...fault(
      title === null || !/^\s*[{<]/.test(title) || requestsOf(raw).some((text) => isExcerpt(title, text)),
      `nobody wrote the title: ${title}`,
    ),
    ...fault(
      title !== 'Session without a prompt' || requestsOf(raw).length === 0,
      `${title}, really ${first?.slice(0, 80)}`,
    ),
    ...fault(
      !/^\s*(?:Implement the (?:following )?plan|Caveat:|\[Request)/.test(title ?? ''),
      `boilerplate as a title: ${title}`,
    ),
    ...fault(!/<command-|^\/clear/.test(prompt), `unreadable initial prompt: ${prompt.slice(0, 80)}`),
    ...fault(
      first === undefined || prompt === '' || isExcerpt(lettersOf(prompt).slice(0, 8).join(' '), first),
      `initial prompt ${prompt.slice(0, 80)}, really ${first?.slice(0, 80)}`,
    ),
  ];
}
