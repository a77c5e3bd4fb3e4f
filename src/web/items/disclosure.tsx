import type { ReactNode } from 'react';

interface DisclosureProps {
  readonly isOpen: boolean;
  readonly onToggle: () => void;
  readonly label: ReactNode;
  readonly detail?: ReactNode;
  /** A label at the end of the line, such as "failed". */
  readonly mark?: string | null;
  readonly children: ReactNode;
}

/** A line that expands. The page keeps its state, because rows out of view are not in the document. */
export function Disclosure({ isOpen, onToggle, label, detail, mark = null, children }: DisclosureProps) {
  return (
    <div className={isOpen ? 'disclosure open' : 'disclosure'}>
      <button type="button" className="disclosure-line" aria-expanded={isOpen} onClick={onToggle}>
        <span className="chevron" aria-hidden="true" />
        {label}
        {detail}
        {mark !== null && <span className="mark">{mark}</span>}
      </button>
      {isOpen && <div className="disclosure-body">{children}</div>}
    </div>
  );
}
