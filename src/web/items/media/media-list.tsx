import { Download, FileText, ImageOff } from 'lucide-react';
import { useState } from 'react';
import type { Media } from '../../../reading/media.ts';
import { showToast } from '../../shell/toasts.ts';
import { useItemContext } from '../item-context.ts';
import { Lightbox } from './lightbox.tsx';
import { saveMedia } from './load-media.ts';
import styles from './media.module.css';
import { useMedia } from './use-media.ts';

interface MediaListProps {
  readonly media: readonly Media[];
}

/** Images as thumbnails that open, everything else as a file to save. */
export function MediaList({ media }: MediaListProps) {
  const [shown, setShown] = useState<number | null>(null);
  const images = media.filter(({ kind }) => kind === 'image');
  if (media.length === 0) return null;
  return (
    <div className={styles['media']}>
      {images.map((image, at) => (
        <Thumbnail key={at} media={image} name={imageName(at, images.length)} onOpen={() => setShown(at)} />
      ))}
      {media
        .filter(({ kind }) => kind !== 'image')
        .map((each, at) => (
          <FileChip key={at} media={each} />
        ))}
      {shown !== null && (
        <Lightbox
          images={images}
          start={shown}
          onClose={() => setShown(null)}
          nameOf={(at) => imageName(at, images.length)}
        />
      )}
    </div>
  );
}

function imageName(at: number, count: number): string {
  return count === 1 ? 'Image' : `Image ${at + 1} of ${count}`;
}

interface ThumbnailProps {
  readonly media: Media;
  readonly name: string;
  readonly onOpen: () => void;
}

function Thumbnail({ media, name, onOpen }: ThumbnailProps) {
  const loaded = useMedia(useItemContext(), media);
  const [isBroken, setBroken] = useState(false);
  if (loaded === null)
    return <span className={styles['waiting']} role="status" aria-label={`Loading ${name.toLowerCase()}`} />;
  if (loaded.kind === 'problem' || isBroken)
    return <FileChip media={media} problem={loaded.kind === 'problem' ? loaded.text : 'damaged'} />;
  const { url, width, height } = loaded;
  const about = `${name}, ${width} × ${height} pixels`;
  return (
    <button type="button" className={styles['thumbnail']} title={about} onClick={onOpen}>
      <img src={url} width={width} height={height} alt={about} decoding="async" onError={() => setBroken(true)} />
    </button>
  );
}

interface FileChipProps {
  readonly media: Media;
  readonly problem?: string;
}

/** Names bytes that are not shown; they can be saved if the archive has them. */
function FileChip({ media, problem }: FileChipProps) {
  const place = useItemContext();
  const Icon = problem === undefined ? FileText : ImageOff;
  const name = media.text.replace(/^\[(.*)\]$/, '$1');
  const text = problem === undefined ? name : `${name}: ${problem}`;
  if (media.kind === 'other') return <span className={styles['chip']}>{text}</span>;
  const save = () => saveMedia(place, media).catch((error: unknown) => showToast(`Not saved: ${String(error)}`));
  return (
    <button type="button" className={styles['chip']} title="Save as a file" onClick={() => void save()}>
      <Icon size={14} aria-hidden="true" />
      <span>{text}</span>
      <Download size={14} aria-label="Save" />
    </button>
  );
}
