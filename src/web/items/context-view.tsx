import { Info } from 'lucide-react';
import { contextAbout, type ContextItem, contextLabel, type EntryOf } from '../../reading/entry.ts';
import { WithActions } from './actions/with-actions.tsx';
import { CodeView } from './code/code-view.tsx';
import { TerminalOutput } from './code/terminal-output.tsx';
import styles from './item.module.css';

interface OpenableProps {
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}

/** A run of messages that were not typed by a person: one muted line that opens to their text. */
export function ContextView({ items, isOpen, onToggle }: OpenableProps & { readonly items: readonly ContextItem[] }) {
  return (
    <div data-item="context">
      <button type="button" className={styles['line']} aria-expanded={isOpen} onClick={onToggle}>
        <Info size={15} aria-hidden="true" />
        <span>{contextLabel(items)}</span>
        {items.length === 1 && <bdi className={styles['about']}>{contextAbout(items)}</bdi>}
      </button>
      {isOpen && (
        <div className={styles['body']}>
          {items.map((item) => (
            <ContextMessage key={item.message.id} item={item} />
          ))}
        </div>
      )}
    </div>
  );
}

function ContextMessage({ item: { message, label, text } }: { readonly item: ContextItem }) {
  const hasFacts = Object.keys(message.metadata).length > 0;
  return (
    <WithActions message={message}>
      <p className={styles['name']}>{label}</p>
      {text !== '' && <TerminalOutput text={text} label={label} />}
      {text === '' && hasFacts && (
        <CodeView text={JSON.stringify(message.metadata, null, 2)} language="json" label={label} />
      )}
      {text === '' && !hasFacts && <p className={styles['name']}>The transcript has no text for it.</p>}
    </WithActions>
  );
}

/** Text that the client, an editor or a hook added to a prompt: muted chips that open to their text. */
export function InjectedChips({ injected, isOpen, onToggle }: OpenableProps & Pick<EntryOf<'prompt'>, 'injected'>) {
  const labels = [...Map.groupBy(injected, ({ label }) => label)];
  return (
    <>
      <div className={styles['chips']}>
        {labels.map(([label, { length }]) => (
          <button key={label} type="button" className={styles['chip']} aria-expanded={isOpen} onClick={onToggle}>
            {length === 1 ? label : `${label} × ${length}`}
          </button>
        ))}
      </div>
      {isOpen &&
        injected.map(({ label, text }, index) => (
          <div key={index} className={styles['added']}>
            <p className={styles['name']}>{label}</p>
            <TerminalOutput text={text} label={label} />
          </div>
        ))}
    </>
  );
}

export function CutNote({ isCut }: { readonly isCut: boolean }) {
  if (!isCut) return null;
  return (
    <p className={styles['name']}>
      Only the beginning of this text is shown; <code>fuel-code session --transcript --full</code> prints all of it.
    </p>
  );
}
