import type { ReactNode } from 'react';
import styles from './dashboard.module.css';

/** The heading of a column. */
export interface Column {
  readonly title: string;
  /** Left out where there is little room. */
  readonly isWide?: boolean;
}

/** The column of share bars. */
export const BAR: Column = { title: '', isWide: true };

interface FigureTableProps {
  readonly label: string;
  readonly columns: readonly Column[];
  /** The rows. */
  readonly children: ReactNode;
}

/** A table whose first column is a name and whose others are figures; it scrolls sideways by itself. */
export function FigureTable({ label, columns, children }: FigureTableProps) {
  return (
    <div className={styles['scroller']} tabIndex={0} role="region" aria-label={label}>
      <table className={styles['table']}>
        <thead>
          <tr>
            {columns.map(({ title, isWide = false }, index) => {
              const className = isWide ? styles['wide'] : undefined;
              return title === '' ? (
                <td key={index} className={className} />
              ) : (
                <th key={index} scope="col" className={className}>
                  {title}
                </th>
              );
            })}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}

interface ToggleProps {
  readonly name: string;
  readonly title: string;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
  readonly isCode?: boolean;
  /** Behind the name, where there is room. */
  readonly about?: string;
}

/** The name of a row that opens to more rows. */
export function Toggle({ name, title, isOpen, onToggle, isCode = false, about }: ToggleProps) {
  return (
    <button type="button" className={styles['toggle']} aria-expanded={isOpen} title={title} onClick={onToggle}>
      <bdi className={isCode ? styles['mono'] : undefined}>{name}</bdi>
      {about !== undefined && <span className={`${styles['about']} ${styles['wide']}`}>{about}</span>}
    </button>
  );
}
