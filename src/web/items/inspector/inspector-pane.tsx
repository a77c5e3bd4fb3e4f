import { X } from 'lucide-react';
import { Suspense, useEffect, useRef } from 'react';
import type { ApiBase } from '../../../client/client.ts';
import { lazyPart } from '../../lazy-part.tsx';
import type { MessageRange } from '../copy-markdown.ts';
import { inspect, useInspected } from '../inspected.ts';
import styles from './inspector.module.css';

const Inspector = lazyPart(async () => (await import('./inspector.tsx')).Inspector);
export const loadInspector = Inspector.preload;

interface InspectorPaneProps {
  readonly base: ApiBase;
  readonly sessionId: string;
  readonly turnOf?: (ordinal: number) => MessageRange | null;
}

/** The details of the chosen item: a column beside the conversation where there is room, a sheet over it elsewhere. */
export function InspectorPane({ base, sessionId, turnOf }: InspectorPaneProps) {
  const inspected = useInspected();
  const pane = useRef<HTMLElement>(null);
  const isOpen = inspected !== null && inspected.sessionId === sessionId;
  const shown = isOpen ? inspected : null;
  useEffect(() => () => inspect(null), []);
  useEffect(() => {
    if (isOpen) pane.current?.focus();
  }, [isOpen]);
  useEscape(isOpen);
  if (shown === null) return null;
  const { message, call } = shown;
  return (
    <aside
      ref={pane}
      className={`${styles['pane']} no-print`}
      data-inspector
      tabIndex={-1}
      aria-label="Details of the item"
    >
      <header className={styles['head']}>
        <h2>{call?.name ?? 'Message'}</h2>
        <button type="button" aria-label="Close details" title="Close (Esc)" onClick={() => inspect(null)}>
          <X size={18} aria-hidden="true" />
        </button>
      </header>
      <Suspense>
        <Inspector
          base={base}
          sessionId={sessionId}
          message={message}
          call={call}
          turn={turnOf?.(message.ordinal) ?? null}
        />
      </Suspense>
    </aside>
  );
}

/** Comes before the keys of the page, where Escape leaves the session. */
function useEscape(isOpen: boolean): void {
  useEffect(() => {
    if (!isOpen) return undefined;
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || document.querySelector('dialog[open]') !== null) return;
      event.stopPropagation();
      inspect(null);
    };
    window.addEventListener('keydown', onKeyDown, true);
    return () => window.removeEventListener('keydown', onKeyDown, true);
  }, [isOpen]);
}
