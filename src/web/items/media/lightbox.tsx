import { ChevronLeft, ChevronRight, X } from 'lucide-react';
import { type KeyboardEvent, useState } from 'react';
import type { Media } from '../../../reading/media.ts';
import { useModal } from '../../shell/dialog.tsx';
import { useItemContext } from '../item-context.ts';
import styles from './media.module.css';
import { useMedia } from './use-media.ts';

interface LightboxProps {
  readonly images: readonly Media[];
  readonly start: number;
  readonly nameOf: (at: number) => string;
  readonly onClose: () => void;
}

/** One image as large as it fits; arrow keys go to the next and the previous one. */
export function Lightbox({ images, start, nameOf, onClose }: LightboxProps) {
  const [at, setAt] = useState(start);
  const modal = useModal(onClose);
  const move = (by: number) => setAt((now) => Math.min(Math.max(now + by, 0), images.length - 1));
  const onKeyDown = (event: KeyboardEvent) => {
    // The keys of the page behind must not act.
    event.stopPropagation();
    if (event.key === 'ArrowLeft') move(-1);
    if (event.key === 'ArrowRight') move(1);
  };
  const image = images[at];
  return (
    <dialog {...modal} className={styles['lightbox']} aria-label={nameOf(at)} onKeyDown={onKeyDown}>
      {image !== undefined && <Picture key={at} media={image} name={nameOf(at)} />}
      <button type="button" className={styles['close']} aria-label="Close" onClick={onClose}>
        <X size={20} aria-hidden="true" />
      </button>
      {images.length > 1 && (
        <nav className={styles['steps']} aria-label="Images">
          <button type="button" aria-label="Previous image" disabled={at === 0} onClick={() => move(-1)}>
            <ChevronLeft size={22} aria-hidden="true" />
          </button>
          <button type="button" aria-label="Next image" disabled={at === images.length - 1} onClick={() => move(1)}>
            <ChevronRight size={22} aria-hidden="true" />
          </button>
        </nav>
      )}
    </dialog>
  );
}

function Picture({ media, name }: { readonly media: Media; readonly name: string }) {
  const loaded = useMedia(useItemContext(), media);
  if (loaded === null) return null;
  if (loaded.kind === 'problem') return <p className={styles['problem']}>{loaded.text}</p>;
  const { url, width, height, type } = loaded;
  return (
    <figure className={styles['picture']}>
      <img src={url} width={width} height={height} alt={name} />
      <figcaption>
        {name} · {width} × {height} · {type.replace('image/', '').toUpperCase()}
      </figcaption>
    </figure>
  );
}
