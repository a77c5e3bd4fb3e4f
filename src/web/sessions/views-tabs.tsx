import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Pencil, Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { SavedView } from '../../api/views.ts';
import { toFilter } from '../../reading/query/terms.ts';
import { BUILT_IN_VIEWS, MAX_VIEW_NAME_CHARS } from '../../domain/saved-view.ts';
import { CLIENTS } from '../api/client.ts';
import { PageLink } from '../routing/page-link.tsx';
import { type ListSearch, readListSearch } from '../routing/place.ts';
import { useRealm } from '../routing/realm.ts';
import { useGo } from '../routing/use-go.ts';
import { showToast } from '../shell/toasts.ts';
import { useViews } from './list-queries.ts';
import styles from './views-tabs.module.css';

interface Tab {
  readonly key: string;
  readonly name: string;
  readonly search: ListSearch;
  readonly saved: SavedView | null;
}

/** Named filters: those that everybody has, then the person's own. */
export function ViewsTabs({ search }: { readonly search: ListSearch }) {
  const { base, isDemo } = useRealm();
  const { data } = useViews(base);
  const tabs: readonly Tab[] = [
    ...BUILT_IN_VIEWS.map(({ name, view }) => ({ key: name, name, search: readListSearch({ ...view }), saved: null })),
    ...(data?.views ?? []).map((view) => ({
      key: view.id,
      name: view.name,
      search: readListSearch({ ...view }),
      saved: view,
    })),
  ];
  const current = tabs.find((tab) => isSame(tab.search, search));
  return (
    <nav className={styles['views']} aria-label="Views">
      <ul>
        {tabs.map((tab) => (
          <li key={tab.key}>
            <PageLink
              className={styles['tab']}
              page={{ kind: 'list', ...tab.search }}
              aria-current={tab === current ? 'page' : undefined}
            >
              <bdi>{tab.name}</bdi>
            </PageLink>
            {tab === current && tab.saved !== null && !isDemo && (
              <>
                <RenameView view={tab.saved} />
                <RemoveView view={tab.saved} />
              </>
            )}
          </li>
        ))}
        {current === undefined && !isDemo && (
          <li>
            <SaveView search={search} />
          </li>
        )}
      </ul>
    </nav>
  );
}

/** Whether sessions without a prompt are shown does not make another view. */
function isSame(a: ListSearch, b: ListSearch): boolean {
  const text = ({ q = '', sort = 'time', order, group }: ListSearch) =>
    JSON.stringify([toFilter(q), sort, order, group ?? 'day']);
  return text(a) === text(b);
}

function useViewChange<T>(change: (given: T) => Promise<unknown>, onDone: () => void) {
  const { base } = useRealm();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: [base, 'views'] });
      onDone();
    },
    onError: (error) => showToast(error.message),
  });
}

function RemoveView({ view }: { readonly view: SavedView }) {
  const { base } = useRealm();
  const go = useGo();
  const remove = useViewChange(
    () => CLIENTS[base].delete('/views/:view_id', { params: { view_id: view.id } }),
    () => {
      showToast(`Removed the view “${view.name}”`);
      go({ kind: 'list' });
    },
  );
  return (
    <button
      type="button"
      className={styles['remove']}
      aria-label={`Remove the view ${view.name}`}
      title="Remove this view"
      onClick={() => remove.mutate(undefined)}
    >
      <Trash2 size={13} aria-hidden="true" />
    </button>
  );
}

/** Gives a saved view another name. */
function RenameView({ view }: { readonly view: SavedView }) {
  const { base } = useRealm();
  const [isOpen, setOpen] = useState(false);
  const rename = useViewChange(
    (name: string) => CLIENTS[base].patch('/views/:view_id', { params: { view_id: view.id }, body: { name } }),
    () => setOpen(false),
  );
  if (isOpen) return <NameForm name={view.name} onName={rename.mutate} onClose={() => setOpen(false)} />;
  return (
    <button
      type="button"
      className={styles['remove']}
      aria-label={`Rename the view ${view.name}`}
      title="Rename this view"
      onClick={() => setOpen(true)}
    >
      <Pencil size={13} aria-hidden="true" />
    </button>
  );
}

/** Gives the current filter, order and groups a name. */
function SaveView({ search }: { readonly search: ListSearch }) {
  const { base } = useRealm();
  const [isOpen, setOpen] = useState(false);
  const { q = '', sort = null, order = null, group = null } = search;
  const save = useViewChange(
    (given: string) => CLIENTS[base].post('/views', { body: { name: given, q: toFilter(q), sort, order, group } }),
    () => setOpen(false),
  );
  if (isOpen) return <NameForm name="" onName={save.mutate} onClose={() => setOpen(false)} />;
  return (
    <button type="button" className={styles['save']} onClick={() => setOpen(true)}>
      <Plus size={13} aria-hidden="true" /> Save view
    </button>
  );
}

interface NameFormProps {
  readonly name: string;
  readonly onName: (name: string) => void;
  readonly onClose: () => void;
}

function NameForm({ name: old, onName, onClose }: NameFormProps) {
  const [name, setName] = useState(old);
  return (
    <form
      className={styles['form']}
      onSubmit={(event) => {
        event.preventDefault();
        if (name.trim() !== '') onName(name);
      }}
    >
      <input
        aria-label="Name of the view"
        placeholder="Name"
        // The person has just asked to name it.
        autoFocus
        autoComplete="off"
        maxLength={MAX_VIEW_NAME_CHARS}
        value={name}
        onChange={({ target }) => setName(target.value)}
        onKeyDown={(event) => event.key === 'Escape' && onClose()}
      />
      <button type="submit" className="button" disabled={name.trim() === ''}>
        Save
      </button>
    </form>
  );
}
