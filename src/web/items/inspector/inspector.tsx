import { Copy } from 'lucide-react';
import type { MessageRow } from '../../../api/transcript.ts';
import type { ApiBase } from '../../../client/client.ts';
import type { ToolCall } from '../../../reading/tool-call.ts';
import { copyMarkdown, type MessageRange } from '../copy-markdown.ts';
import { copyText } from '../copy-text.ts';
import { type Fact, factsOf, idsOf } from './facts.ts';
import styles from './inspector.module.css';
import { RawLines } from './raw-lines.tsx';

export interface InspectorProps {
  readonly base: ApiBase;
  readonly sessionId: string;
  readonly message: MessageRow;
  readonly call: ToolCall | null;
  /** The turn of the message, if it is known. */
  readonly turn?: MessageRange | null;
}

/** Everything known about one message: figures, ids, and its lines as the client wrote them. */
export function Inspector({ base, sessionId, message, call, turn = null }: InspectorProps) {
  const place = { base, sessionId };
  const own = { from: message.ordinal, to: message.ordinal, agentId: message.agent_id };
  const resultId = call?.result?.messageId ?? null;
  return (
    <div className={styles['inspector']}>
      <Facts facts={factsOf(message, call)} />
      <section>
        <h3>Copy as Markdown</h3>
        <CopyRow name="Message" onCopy={(isRedacted) => void copyMarkdown(place, [own], { isRedacted })} />
        {turn !== null && (
          <CopyRow name="Turn" onCopy={(isRedacted) => void copyMarkdown(place, [turn], { isRedacted })} />
        )}
      </section>
      <section>
        <h3>Ids</h3>
        <dl className={styles['ids']}>
          {idsOf(sessionId, message, call).map(({ name, value }) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>
                <code>{value}</code>
                <button
                  type="button"
                  aria-label={`Copy ${name}`}
                  title="Copy"
                  onClick={() => void copyText(value, name)}
                >
                  <Copy size={13} aria-hidden="true" />
                </button>
              </dd>
            </div>
          ))}
        </dl>
      </section>
      <RawLines key={message.id} {...place} messageId={message.id} title="Raw line" />
      {resultId !== null && resultId !== message.id && (
        <RawLines key={resultId} {...place} messageId={resultId} title="Raw line of the result" />
      )}
    </div>
  );
}

function Facts({ facts }: { readonly facts: readonly Fact[] }) {
  return (
    <dl className={styles['facts']}>
      {facts.map(({ name, value }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

interface CopyRowProps {
  readonly name: string;
  readonly onCopy: (isRedacted: boolean) => void;
}

function CopyRow({ name, onCopy }: CopyRowProps) {
  return (
    <p className={styles['copies']}>
      <span>{name}</span>
      <button type="button" onClick={() => onCopy(false)}>
        Copy
      </button>
      <button type="button" title="Replaces secrets" onClick={() => onCopy(true)}>
        Copy without secrets
      </button>
    </p>
  );
}
