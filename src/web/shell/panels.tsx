import { Suspense, useEffect, useState, type Dispatch, type SetStateAction } from 'react';
import { lazyPart } from '../lazy-part.tsx';

/** Panels that open in front of any screen. */
export type Panel = 'palette' | 'keys' | 'access' | 'deleted';

const Palette = lazyPart(async () => (await import('./palette.tsx')).Palette);
const KeyHelp = lazyPart(async () => (await import('./key-help.tsx')).KeyHelp);
const Access = lazyPart(async () => (await import('../access/access-dialog.tsx')).AccessDialog);
const Deleted = lazyPart(async () => (await import('../delete/deleted-dialog.tsx')).DeletedDialog);

/** Loads their code, so that they open at once. */
export function loadPanels(): void {
  for (const { preload } of [Palette, KeyHelp, Access, Deleted]) preload();
}

interface PanelsProps {
  readonly panel: Panel | null;
  readonly onOpen: Dispatch<SetStateAction<Panel | null>>;
}

export function Panels({ panel, onOpen }: PanelsProps) {
  // A dialog reports shortly afterwards that it was closed; meanwhile a key may have opened another one.
  const close = (closed: Panel) => () => onOpen((open) => (open === closed ? null : open));
  return (
    <Suspense>
      {panel === 'palette' && <PalettePanel onClose={close('palette')} onOpen={onOpen} />}
      {panel === 'access' && <Access onClose={close('access')} />}
      {panel === 'deleted' && <Deleted onClose={close('deleted')} />}
      {panel === 'keys' && <KeyHelp onClose={close('keys')} />}
    </Suspense>
  );
}

interface PalettePanelProps {
  readonly onClose: () => void;
  readonly onOpen: (panel: Panel | null) => void;
}

/** The palette, with the letters that were typed after Ctrl-K while its code was still loading. */
function PalettePanel({ onClose, onOpen }: PalettePanelProps) {
  const [typed, setTyped] = useState('');
  return (
    <Suspense fallback={<TypeAhead onType={setTyped} onClose={onClose} />}>
      <Palette initialText={typed} onClose={onClose} onOpen={onOpen} />
    </Suspense>
  );
}

interface TypeAheadProps {
  readonly onType: (change: (typed: string) => string) => void;
  readonly onClose: () => void;
}

function TypeAhead({ onType, onClose }: TypeAheadProps) {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
      const { key } = event;
      if (key === 'Escape') onClose();
      else if (key === 'Backspace') onType((typed) => typed.slice(0, -1));
      // Names of other keys, such as "Shift", are longer.
      else if (key.length === 1) onType((typed) => typed + key);
      else return;
      event.preventDefault();
      event.stopPropagation();
    };
    window.addEventListener('keydown', onKeyDown, { capture: true });
    return () => window.removeEventListener('keydown', onKeyDown, { capture: true });
  }, [onType, onClose]);
  return null;
}
