import { Copy, Info, Link } from 'lucide-react';
import { type KeyboardEvent, type ReactNode, useState } from 'react';
import type { MessageRow } from '../../../api/transcript.ts';
import type { ToolCall } from '../../../reading/tool-call.ts';
import { formatPlace } from '../../routing/place.ts';
import { copyMarkdown, type MessageRange } from '../copy-markdown.ts';
import { copyText } from '../copy-text.ts';
import { inspect } from '../inspected.ts';
import { type ItemContext, useItemContext } from '../item-context.ts';
import styles from './actions.module.css';

export interface ItemActionsProps {
  readonly message: MessageRow;
  /** The `block_order` of the item in its message; -1 if it is the whole message. */
  readonly block?: number;
  readonly call?: ToolCall | null;
  /** What is copied; the message by default. */
  readonly range?: MessageRange;
}

interface Action {
  readonly name: string;
  readonly icon: ReactNode;
  readonly run: () => void;
}

/** The actions of an item: one tab stop, with arrow keys between the buttons. */
export function ItemActions(props: ItemActionsProps) {
  const context = useItemContext();
  const [current, setCurrent] = useState(0);
  const actions = actionsOf(context, props);
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

function actionsOf(
  context: ItemContext,
  { message, block = -1, call = null, range }: ItemActionsProps,
): readonly Action[] {
  const { base, sessionId } = context;
  const { ordinal, agent_id: agentId } = message;
  const link = () => {
    const page = { kind: 'session', id: sessionId, at: ordinal, block: block > 0 ? block : null } as const;
    void copyText(location.origin + formatPlace({ isDemo: base === '/demo/api', page }), 'Link');
  };
  const own = range ?? { from: ordinal, to: ordinal, agentId };
  const markdown = () => void copyMarkdown(context, [own], { isRedacted: false });
  const details = () => inspect({ sessionId, message, call });
  return [
    { name: 'Copy link', icon: <Link {...ICON} />, run: link },
    { name: 'Copy as Markdown', icon: <Copy {...ICON} />, run: markdown },
    { name: 'Details and raw line', icon: <Info {...ICON} />, run: details },
  ];
}
