import { Copy, Info, Link } from 'lucide-react';
import { type KeyboardEvent, type ReactNode, useState } from 'react';
import { formatPlace } from '../../routing/place.ts';
import { copyMarkdown } from '../copy-markdown.ts';
import { copyText } from '../copy-text.ts';
import { inspect } from '../inspected.ts';
import type { Item, ShownEntry } from '../item-view.tsx';
import { type ItemContext, useItemContext } from '../item-context.ts';
import styles from './actions.module.css';

interface ItemActionsProps {
  readonly item: Item;
  readonly entry: ShownEntry;
}

interface Action {
  readonly name: string;
  readonly icon: ReactNode;
  readonly run: () => void;
}

/** What can be done with an item. One stop for the Tab key; the arrow keys go from button to button. */
export function ItemActions({ item, entry }: ItemActionsProps) {
  const context = useItemContext();
  const [current, setCurrent] = useState(0);
  const actions = actionsOf(context, item, entry);
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (step === 0) return;
    event.preventDefault();
    const next = (current + step + actions.length) % actions.length;
    setCurrent(next);
    (event.currentTarget.children[next] as HTMLElement).focus();
  };
  return (
    <div className={styles['actions']} role="toolbar" aria-label="Actions" onKeyDown={onKeyDown}>
      {actions.map(({ name, icon, run }, at) => (
        <button
          key={name}
          type="button"
          title={name}
          aria-label={name}
          tabIndex={at === current ? 0 : -1}
          onClick={run}
        >
          {icon}
        </button>
      ))}
    </div>
  );
}

const ICON = { size: 14, 'aria-hidden': true } as const;

function actionsOf(context: ItemContext, { ordinal }: Item, entry: ShownEntry): readonly Action[] {
  const { base, sessionId } = context;
  const link = () => {
    const page = { kind: 'session', id: sessionId, at: ordinal } as const;
    void copyText(location.origin + formatPlace({ isDemo: base === '/demo/api', page }), 'Link');
  };
  const own = { from: ordinal, to: ordinal, agentId: entry.message.agent_id };
  const markdown = () => void copyMarkdown(context, own, { isRedacted: false });
  const details = () => inspect({ sessionId, message: entry.message, call: entry.kind === 'tool' ? entry.call : null });
  return [
    { name: 'Copy link', icon: <Link {...ICON} />, run: link },
    { name: 'Copy as Markdown', icon: <Copy {...ICON} />, run: markdown },
    { name: 'Details and raw line', icon: <Info {...ICON} />, run: details },
  ];
}
