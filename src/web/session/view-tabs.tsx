import { useShortcuts } from '../keyboard.ts';
import { PageLink } from '../routing/page-link.tsx';
import { useGo } from '../routing/use-go.ts';
import styles from './view-tabs.module.css';
import { SESSION_VIEWS } from './views.ts';

interface ViewTabsProps {
  readonly id: string;
  readonly view: string | null;
}

/** Ways to look at a session. Changing between them replaces the address, so that Back leaves the session. */
export function ViewTabs({ id, view }: ViewTabsProps) {
  const go = useGo();
  useShortcuts(
    'Views',
    SESSION_VIEWS.map(({ name, label, key }) => ({
      keys: [key],
      label,
      run: () => name !== view && go({ kind: 'session', id, view: name }, { isReplacing: true }),
    })),
  );
  return (
    <nav className={`${styles['tabs']} no-print`} aria-label="Views of the session">
      {SESSION_VIEWS.map(({ name, label, key }) => (
        <PageLink
          key={key}
          page={{ kind: 'session', id, view: name }}
          isReplacing
          className={styles['tab']}
          title={`${label} (${key})`}
          aria-current={name === view ? 'page' : undefined}
        >
          <span className={styles['label']} data-label={label}>
            {label}
          </span>
        </PageLink>
      ))}
    </nav>
  );
}
