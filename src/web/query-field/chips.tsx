import { X } from 'lucide-react';
import { termsOf } from '../../reading/query/terms.ts';
import styles from './query-field.module.css';

interface ChipsProps {
  readonly fields: readonly string[];
  readonly onRemove: (index: number) => void;
  readonly onEdit: (index: number) => void;
}

/** The finished filters of a search. */
export function Chips({ fields, onRemove, onEdit }: ChipsProps) {
  if (fields.length === 0) return null;
  return (
    <ul className={styles['chips']} aria-label="Filters">
      {fields.map((field, index) => (
        <li key={`${index} ${field}`} className={styles['chip']}>
          <button type="button" title={`Edit ${field}`} onClick={() => onEdit(index)}>
            <ChipText field={field} />
          </button>
          <button
            type="button"
            className={styles['remove']}
            aria-label={`Remove ${field}`}
            onClick={() => onRemove(index)}
          >
            <X size={12} aria-hidden="true" />
          </button>
        </li>
      ))}
    </ul>
  );
}

function ChipText({ field }: { readonly field: string }) {
  const [term] = termsOf(field);
  if (term === undefined || term.field === null) return <bdi>{field}</bdi>;
  return (
    <>
      <span className={styles['name']}>
        {term.isNegated && 'not '}
        {term.field}
        {term.sign === ':' ? ' ' : ` ${term.sign.replace(':', '')} `}
      </span>
      <bdi>{term.value}</bdi>
    </>
  );
}
