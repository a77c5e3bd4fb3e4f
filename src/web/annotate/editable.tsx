import { Pencil } from 'lucide-react';
import { type KeyboardEvent, type ReactNode, useState } from 'react';
import styles from './annotate.module.css';

interface EditableProps {
  /** What is edited: `title`, `summary`. */
  readonly what: string;
  /** The text to start from. */
  readonly text: string;
  readonly isLong?: boolean;
  readonly maxChars: number;
  /** Shown next to the field, for example what an empty text means. */
  readonly hint?: string;
  readonly onSave: (text: string) => void;
  /** The text as it is read. */
  readonly children: ReactNode;
}

/** A text that is edited in place. Enter saves, Escape leaves it as it was; a long text is saved with Mod+Enter. */
export function Editable(props: EditableProps) {
  const { what, children } = props;
  const [isEditing, setEditing] = useState(false);
  if (isEditing) return <EditField {...props} onClose={() => setEditing(false)} />;
  return (
    <span className={styles['editable']}>
      {children}
      <button
        type="button"
        className={styles['pencil']}
        aria-label={`Edit ${what}`}
        title={`Edit ${what}`}
        onClick={() => setEditing(true)}
      >
        <Pencil size={13} aria-hidden="true" />
      </button>
    </span>
  );
}

function EditField(props: EditableProps & { readonly onClose: () => void }) {
  const { what, text, isLong = false, maxChars, hint, onSave, onClose } = props;
  const [value, setValue] = useState(text);
  const save = () => {
    if (value.trim() !== text.trim()) onSave(value);
    onClose();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    const isSave = event.key === 'Enter' && (!isLong || event.ctrlKey || event.metaKey);
    if (isSave) save();
    else if (event.key === 'Escape') onClose();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const shared = {
    className: styles['input'],
    'aria-label': what,
    // The person has just asked to edit this text.
    autoFocus: true,
    value,
    maxLength: maxChars,
    onKeyDown,
    onChange: ({ target }: { readonly target: { readonly value: string } }) => setValue(target.value),
  };
  return (
    <span className={styles['editing']}>
      {isLong ? <textarea {...shared} rows={5} /> : <input {...shared} />}
      <span className={styles['actions']}>
        <button type="button" className="button" onClick={save}>
          Save
        </button>
        <button type="button" className={styles['quiet']} onClick={onClose}>
          Cancel
        </button>
        {hint !== undefined && <span className={styles['hint']}>{hint}</span>}
      </span>
    </span>
  );
}
