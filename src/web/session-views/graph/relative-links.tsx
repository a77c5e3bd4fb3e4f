import type { Relative } from '../../../api/session-views.ts';
import { relativeText } from '../../../reading/graph/relatives.ts';
import { PageLink } from '../../routing/page-link.tsx';
import { useGraphContext } from './graph-context.ts';
import styles from './graph.module.css';

const MAX_SHOWN = 4;

/** The sessions around this one. */
export function RelativeLinks() {
  const { relatives } = useGraphContext();
  if (relatives.length === 0) return null;
  return (
    <ul className={styles['relatives']} aria-label="Related sessions">
      {relatives.slice(0, MAX_SHOWN).map((relative, at) => (
        <li key={at}>
          <RelativeLink relative={relative} />
        </li>
      ))}
      {relatives.length > MAX_SHOWN && <li>and {relatives.length - MAX_SHOWN} more</li>}
    </ul>
  );
}

function RelativeLink({ relative }: { readonly relative: Relative }) {
  const words = relativeText(relative);
  if (relative.title === null) {
    return (
      <span>
        {words} a session that {relative.is_deleted ? 'was deleted' : 'is not stored'}
      </span>
    );
  }
  return (
    <PageLink page={{ kind: 'session', id: relative.session_id, view: 'graph' }} className={styles['relative']}>
      {words} <bdi>{relative.title}</bdi>
    </PageLink>
  );
}
