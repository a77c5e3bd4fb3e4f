import { useEffect, useRef, type MouseEvent, type ReactNode } from 'react';
import { createPortal } from 'react-dom';
import { X } from 'lucide-react';
import styles from './dialog.module.css';

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** Closes on Escape, on the button and on a click beside it; the browser keeps the focus inside and gives it back. */
export function useModal(onClose: () => void) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (dialog.current?.open === false) dialog.current.showModal();
  }, []);
  const onClick = (event: MouseEvent) => {
    if (event.target === dialog.current) onClose();
  };
  return { ref: dialog, onClose, onClick };
}

/** Below the body, so that it looks the same wherever it is opened: nothing is inherited from a bar or a row. */
export function Dialog({ title, onClose, children }: DialogProps) {
  const modal = useModal(onClose);
  return createPortal(
    <dialog {...modal} className={styles.dialog} aria-label={title}>
      <div className={styles.body}>
        <header className={styles.head}>
          <h2>{title}</h2>
          <button type="button" className={styles.close} aria-label="Close" onClick={onClose}>
            <X size={18} aria-hidden="true" />
          </button>
        </header>
        {children}
      </div>
    </dialog>,
    document.body,
  );
}
