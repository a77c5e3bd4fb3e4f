import { Pin, PinOff, Trash2, X } from 'lucide-react';
import { useState } from 'react';
import { plural } from '../../reading/format.ts';
import { TagField } from '../annotate/annotations.tsx';
import { useBulk } from '../annotate/use-annotate.ts';
import { DeleteDialog } from '../delete/delete-dialog.tsx';
import { PageLink } from '../routing/page-link.tsx';
import { useRealm } from '../routing/realm.ts';
import type { Selection } from './use-selection.ts';
import styles from './selection-bar.module.css';

/** Actions for the selected sessions. */
export function SelectionBar({ selection }: { readonly selection: Selection }) {
  const { isDemo } = useRealm();
  const bulk = useBulk();
  const [isDeleting, setDeleting] = useState(false);
  const { ids, clear } = selection;
  const [a, b] = ids;
  return (
    <div className={`${styles['bar']} no-print`} role="toolbar" aria-label="Selected sessions">
      <b>{plural(ids.length, 'session')} selected</b>
      {!isDemo && (
        <>
          <TagField onAdd={(tags) => bulk.mutate({ ids, add_tags: tags })} />
          <button type="button" onClick={() => bulk.mutate({ ids, is_pinned: true })}>
            <Pin size={14} aria-hidden="true" /> Pin
          </button>
          <button type="button" onClick={() => bulk.mutate({ ids, is_pinned: false })}>
            <PinOff size={14} aria-hidden="true" /> Unpin
          </button>
          <button type="button" aria-haspopup="dialog" onClick={() => setDeleting(true)}>
            <Trash2 size={14} aria-hidden="true" /> Delete
          </button>
        </>
      )}
      {ids.length === 2 && a !== undefined && b !== undefined && (
        <PageLink page={{ kind: 'compare', a, b }}>Compare</PageLink>
      )}
      {isDeleting && <DeleteDialog ids={ids} onClose={() => setDeleting(false)} onDeleted={clear} />}
      <button type="button" className={styles['clear']} aria-label="Clear the selection" onClick={clear}>
        <X size={16} aria-hidden="true" />
      </button>
    </div>
  );
}
