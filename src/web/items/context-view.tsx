import { contextAbout, type ContextItem, contextLabel, type EntryOf } from '../../reading/entry.ts';
import { CollapsibleText } from './collapsible-text.tsx';
import { Disclosure } from './disclosure.tsx';

interface OpenableProps {
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}

/** A run of messages that were not typed by a person: one muted line that expands. */
export function ContextView({ items, isOpen, onToggle }: OpenableProps & { readonly items: readonly ContextItem[] }) {
  const about = contextAbout(items);
  const isRun = items.length > 1;
  return (
    <div className="muted-block">
      <Disclosure
        isOpen={isOpen}
        onToggle={onToggle}
        label={<span>{contextLabel(items)}</span>}
        detail={<bdi className="tool-summary">{isRun ? '' : about}</bdi>}
        mark={isRun ? about : null}
      >
        {items.map((item) => (
          <ContextMessage key={item.message.id} item={item} />
        ))}
      </Disclosure>
    </div>
  );
}

function ContextMessage({ item: { message, label, text } }: { readonly item: ContextItem }) {
  const metadata = Object.keys(message.metadata).length === 0 ? '' : JSON.stringify(message.metadata, null, 2);
  return (
    <div className="context-message">
      <p className="muted">{label}</p>
      {(text !== '' || metadata !== '') && <CollapsibleText text={text === '' ? metadata : text} />}
    </div>
  );
}

/** Text that the client, an editor or a hook added to a prompt: muted and separate from the typed text. */
export function InjectedView({ injected, isOpen, onToggle }: OpenableProps & Pick<EntryOf<'prompt'>, 'injected'>) {
  return (
    <div className="muted-block">
      <Disclosure isOpen={isOpen} onToggle={onToggle} label={<span>{contextLabel(injected)}</span>}>
        {injected.map(({ label, text }, index) => (
          <div key={index} className="context-message">
            <p className="muted">{label}</p>
            <CollapsibleText text={text} />
          </div>
        ))}
      </Disclosure>
    </div>
  );
}

export function CutNote({ isCut }: { readonly isCut: boolean }) {
  if (!isCut) return null;
  return (
    <p className="muted">
      Only the beginning of this text is shown; <code>fuel-code session --transcript --full</code> prints all of it.
    </p>
  );
}
