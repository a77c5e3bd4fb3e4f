import { ListTree, Search } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Density } from '../../reading/rows/row.ts';
import styles from './reader.module.css';

interface ToolbarProps {
  readonly density: Density;
  readonly onDensity: (density: Density) => void;
  readonly onFind: () => void;
  readonly isOutlineOpen: boolean;
  readonly onOutline: () => void;
  /** Text about the current position. */
  readonly children: ReactNode;
}

const DENSITIES: readonly (readonly [Density, string, string])[] = [
  [1, 'Answers', 'Prompts and final answers (1)'],
  [2, 'Work', 'Also the work in between (2)'],
  [3, 'Everything', 'Every message (3)'],
];

export function Toolbar({ density, onDensity, onFind, isOutlineOpen, onOutline, children }: ToolbarProps) {
  return (
    <div className={`${styles['toolbar']} no-print`}>
      <button
        type="button"
        className={styles['outline-button']}
        aria-label="Prompts"
        aria-expanded={isOutlineOpen}
        aria-haspopup="dialog"
        onClick={onOutline}
      >
        <ListTree size={15} aria-hidden="true" />
        <span>Prompts</span>
      </button>
      <div className={styles['densities']} role="radiogroup" aria-label="Show">
        {DENSITIES.map(([value, name, title]) => (
          <button
            key={value}
            type="button"
            role="radio"
            aria-checked={density === value}
            title={title}
            data-label={name}
            onClick={() => onDensity(value)}
          >
            {name}
          </button>
        ))}
      </div>
      <div className={styles['place']}>{children}</div>
      <button
        type="button"
        className={styles['find-button']}
        aria-label="Find"
        title="Find in this session (f)"
        onClick={onFind}
      >
        <Search size={15} aria-hidden="true" />
        <span>Find</span>
      </button>
    </div>
  );
}
