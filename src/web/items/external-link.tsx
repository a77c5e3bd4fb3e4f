import type { ReactNode } from 'react';
import styles from './item.module.css';

interface ExternalLinkProps {
  readonly url: string;
  readonly children: ReactNode;
}

/**
 * A web address in a transcript. It is not a link element, because browsers may look up or load the target of a link
 * before anybody clicks it; anything but a web address stays text.
 */
export function ExternalLink({ url, children }: ExternalLinkProps) {
  const isWeb = /^https?:\/\//i.test(url) && URL.canParse(url);
  if (!isWeb) return children;
  const open = () => window.open(url, '_blank', 'noopener,noreferrer');
  return (
    <button type="button" role="link" className={styles['link']} title={url} onClick={open}>
      {children}
    </button>
  );
}
