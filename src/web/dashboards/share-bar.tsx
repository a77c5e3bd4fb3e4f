import { useCallback } from 'react';
import styles from './dashboard.module.css';

/** A share of the largest row. The width is set through the CSSOM: the policy of the page forbids style attributes. */
export function ShareBar({ share }: { readonly share: number }) {
  const setWidth = useCallback(
    (element: HTMLElement | null) => element?.style.setProperty('width', `${Math.round(share * 1000) / 10}%`),
    [share],
  );
  return (
    <span className={styles['bar']} aria-hidden="true">
      <span ref={setWidth} />
    </span>
  );
}
