import { Suspense } from 'react';
import { lazyPart } from '../lazy-part.tsx';

/** Panels that open in front of any screen. */
export type Panel = 'palette' | 'keys' | 'access' | 'deleted';

const Palette = lazyPart(async () => (await import('./palette.tsx')).Palette);
const KeyHelp = lazyPart(async () => (await import('./key-help.tsx')).KeyHelp);
const Access = lazyPart(async () => (await import('../access/access-dialog.tsx')).AccessDialog);
const Deleted = lazyPart(async () => (await import('../delete/deleted-dialog.tsx')).DeletedDialog);

/** Loads their code, so that the first letters after Ctrl-K are not lost. */
export function loadPanels(): void {
  for (const { preload } of [Palette, KeyHelp, Access, Deleted]) preload();
}

interface PanelsProps {
  readonly panel: Panel | null;
  readonly onOpen: (panel: Panel | null) => void;
}

export function Panels({ panel, onOpen }: PanelsProps) {
  const close = () => onOpen(null);
  return (
    <Suspense>
      {panel === 'palette' && <Palette onClose={close} onOpen={onOpen} />}
      {panel === 'access' && <Access onClose={close} />}
      {panel === 'deleted' && <Deleted onClose={close} />}
      {panel === 'keys' && <KeyHelp onClose={close} />}
    </Suspense>
  );
}
