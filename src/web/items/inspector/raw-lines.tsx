import { useQuery } from '@tanstack/react-query';
import { Copy } from 'lucide-react';
import { useState } from 'react';
import type { ApiBase } from '../../../client/client.ts';
import { formatBytes } from '../../../reading/format.ts';
import { CLIENTS } from '../../api/client.ts';
import { CodeView } from '../code/code-view.tsx';
import { copyText } from '../copy-text.ts';
import styles from './inspector.module.css';

interface RawLinesProps {
  readonly base: ApiBase;
  readonly sessionId: string;
  readonly messageId: string;
  readonly title: string;
}

/** The exact lines of a message, indented or as they are. */
export function RawLines({ base, sessionId, messageId, title }: RawLinesProps) {
  const [isPretty, setPretty] = useState(true);
  const { data, error } = useQuery({
    queryKey: [base, 'raw-message', sessionId, messageId],
    queryFn: async ({ signal }) => {
      const params = { id: sessionId, message_id: messageId };
      return await (await CLIENTS[base].get('/sessions/:id/messages/:message_id/raw', { params, signal })).text();
    },
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 10_000,
    retry: false,
  });
  const lines = (data ?? '').split('\n').filter((line) => line !== '');
  return (
    <section aria-label={title}>
      <header className={styles['rawHead']}>
        <h3>{title}</h3>
        {data !== undefined && (
          <>
            <span className={styles['size']}>{formatBytes(new Blob([data]).size)}</span>
            <button type="button" aria-pressed={isPretty} onClick={() => setPretty(!isPretty)}>
              Indented
            </button>
            <button type="button" aria-label="Copy raw line" onClick={() => void copyText(data, 'Raw line')}>
              <Copy size={13} aria-hidden="true" /> Copy
            </button>
          </>
        )}
      </header>
      {error !== null && <p role="alert">{error.message}</p>}
      {lines.map((line, at) => (
        <CodeView key={at} text={isPretty ? prettyLine(line) : cutLine(line)} language="json" label="Raw line" />
      ))}
    </section>
  );
}

/** Longer texts in a line, such as images, are cut; copying has all of them. */
const MAX_TEXT_CHARS = 4_000;
const MAX_LINE_CHARS = 60_000;

/** A line of a transcript, indented; as it is if it is not valid JSON. */
function prettyLine(line: string): string {
  try {
    return JSON.stringify(JSON.parse(line), (_, value: unknown) => shortened(value), 2);
  } catch {
    return cutLine(line);
  }
}

function shortened(value: unknown): unknown {
  return typeof value === 'string' ? cut(value, MAX_TEXT_CHARS) : value;
}

function cutLine(line: string): string {
  return cut(line, MAX_LINE_CHARS);
}

function cut(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max)} … ${formatBytes(text.length - max)} more`;
}
