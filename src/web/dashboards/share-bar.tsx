import { useShare } from '../charts/size.ts';
import styles from './dashboard.module.css';

/** A share of the largest row. */
export function ShareBar({ share }: { readonly share: number }) {
  return (
    <span className={styles['bar']} aria-hidden="true">
      <span ref={useShare(share)} />
    </span>
  );
}
