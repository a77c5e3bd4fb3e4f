import { activeShortcuts } from '../keyboard.ts';
import { Dialog } from './dialog.tsx';
import { keyName } from './key-name.ts';
import styles from './key-help.module.css';

/** The keys of the current screen and of the frame. */
export function KeyHelp({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      <div className={styles.groups}>
        {activeShortcuts().map(({ title, shortcuts }) => (
          <section key={title} aria-label={title}>
            <h3>{title}</h3>
            <dl className={styles.keys}>
              {shortcuts.map(({ keys, label }) => (
                <div key={label} className={styles.key}>
                  <dt>
                    {keys.map((key) => (
                      <kbd key={key}>{keyName(key)}</kbd>
                    ))}
                  </dt>
                  <dd>{label}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}
