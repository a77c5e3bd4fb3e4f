import { ChevronRight } from 'lucide-react';
import styles from './row-view.module.css';

/** Points down while the button around it is expanded. */
export function Chevron() {
  return <ChevronRight size={14} className={styles['chevron']} aria-hidden="true" />;
}
