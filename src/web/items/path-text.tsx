import { fileName } from '../../domain/file-path.ts';
import styles from './line.module.css';

/** A path on one line. The folders give way first: the name of the file stays visible, however long the path is. */
export function PathText({ path }: { readonly path: string }) {
  const at = path.length - fileName(path).length;
  return (
    <bdi className={styles['path']} title={path}>
      {at > 0 && <span>{path.slice(0, at)}</span>}
      <span>{path.slice(at)}</span>
    </bdi>
  );
}
