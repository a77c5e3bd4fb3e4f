import { useEffect, type ReactNode } from 'react';
import type { DashboardName } from '../../domain/page-paths.ts';
import { DASHBOARD_VIEWS } from '../shell/dashboards.ts';
import { ErrorNotice, Loading } from '../shell/notice.tsx';
import styles from './dashboard.module.css';

interface DashboardProps {
  readonly name: DashboardName;
  /** What is in the first line, such as the choice of a period; false for none. */
  readonly head?: ReactNode;
  readonly children: ReactNode;
}

export function Dashboard({ name, head, children }: DashboardProps) {
  const { label } = DASHBOARD_VIEWS[name];
  useEffect(() => {
    document.title = `${label} · fuel-code`;
    return () => void (document.title = 'fuel-code');
  }, [label]);
  return (
    <main className={`scroll ${styles['page']}`} tabIndex={-1}>
      <div className={styles['inner']}>
        {head !== undefined && head !== false && <div className={styles['head']}>{head}</div>}
        {children}
      </div>
    </main>
  );
}

interface LoadedProps<T> {
  readonly what: string;
  readonly query: { readonly data: T | undefined; readonly error: Error | null };
  readonly children: (data: T) => ReactNode;
}

/** The part of a screen that needs data: says that it loads, or why it cannot. */
export function Loaded<T>({ what, query, children }: LoadedProps<T>) {
  if (query.data !== undefined) return children(query.data);
  return query.error === null ? <Loading what={what} /> : <ErrorNotice error={query.error} />;
}

interface SectionProps {
  readonly title: string;
  readonly children: ReactNode;
}

export function Section({ title, children }: SectionProps) {
  return (
    <section className={styles['section']} aria-label={title}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}
