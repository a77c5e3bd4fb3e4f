import { lazy, Suspense } from 'react';

/** What can be opened in front of every screen. */
export type Panel = 'palette' | 'keys' | 'access';

const loadPalette = async () => ({ default: (await import('./palette.tsx')).Palette });
const loadKeyHelp = async () => ({ default: (await import('./key-help.tsx')).KeyHelp });
const loadAccess = async () => ({ default: (await import('../access/access-dialog.tsx')).AccessDialog });
const Palette = lazy(loadPalette);
const Access = lazy(loadAccess);
const KeyHelp = lazy(loadKeyHelp);

/** Loads their code, so that the first letters after Ctrl-K are not lost. */
export function loadPanels(): void {
  for (const load of [loadPalette, loadKeyHelp, loadAccess]) void load();
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
      {panel === 'keys' && <KeyHelp onClose={close} />}
    </Suspense>
  );
}
