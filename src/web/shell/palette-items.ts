import { useQuery } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import {
  Keyboard,
  KeyRound,
  List,
  type LucideIcon,
  MessageSquare,
  Monitor,
  Moon,
  Search,
  Sun,
  Undo2,
} from 'lucide-react';
import { useDeferredValue } from 'react';
import type { SessionRow } from '../../api/sessions.ts';
import { DASHBOARDS } from '../../domain/page-paths.ts';
import { formatDateTime } from '../../reading/format.ts';
import { titleOf } from '../../reading/names.ts';
import { CLIENTS } from '../api/client.ts';
import { formatPlace } from '../routing/place.ts';
import type { Realm } from '../routing/realm.ts';
import { useGo } from '../routing/use-go.ts';
import { DASHBOARD_VIEWS } from './dashboards.ts';
import type { Panel } from './panels.tsx';
import { setTheme } from './theme.ts';

export interface PaletteItem {
  readonly key: string;
  readonly group: 'Search' | 'Sessions' | 'Commands';
  readonly label: string;
  readonly detail?: string;
  readonly icon: LucideIcon;
  readonly run: () => void;
}

const MAX_SESSIONS = 8;

/** Sessions whose title contains the text; the newest ones while there is none. */
function useSessionsByTitle({ base }: Realm, text: string): readonly SessionRow[] {
  const title = useDeferredValue(text.trim());
  const { data } = useQuery({
    queryKey: [base, 'sessions', 'palette', title],
    queryFn: ({ signal }) =>
      CLIENTS[base].get('/sessions', {
        query: { fields: 'list', limit: MAX_SESSIONS, ...(title === '' ? {} : { title }) },
        signal,
      }),
    placeholderData: (previous) => previous,
  });
  return data?.sessions ?? [];
}

export function usePaletteItems(
  realm: Realm,
  text: string,
  onOpen: (panel: Panel | null) => void,
): readonly PaletteItem[] {
  const go = useGo();
  const { history } = useRouter();
  const sessions = useSessionsByTitle(realm, text);
  const wanted = text.trim();
  const now = new Date();
  const command = (icon: LucideIcon, label: string, run: () => void): PaletteItem => ({
    key: label,
    group: 'Commands',
    label,
    icon,
    run,
  });
  const leaveDemo = () => history.push(formatPlace({ isDemo: false, page: { kind: 'list' } }));
  const commands = [
    command(List, 'Show all sessions', () => go({ kind: 'list' })),
    command(Search, 'Search all sessions', () => go({ kind: 'search', text: '' })),
    ...DASHBOARDS.map((name) =>
      command(DASHBOARD_VIEWS[name].icon, DASHBOARD_VIEWS[name].command, () => go({ kind: 'dashboard', name })),
    ),
    command(Monitor, 'Theme: system', () => setTheme('system')),
    command(Sun, 'Theme: light', () => setTheme('light')),
    command(Moon, 'Theme: dark', () => setTheme('dark')),
    command(Keyboard, 'Keyboard shortcuts', () => onOpen('keys')),
    command(KeyRound, 'Browsers with access', () => onOpen('access')),
    ...(realm.isDemo ? [command(Undo2, 'Leave the demo', leaveDemo)] : []),
  ].filter(({ label }) => label.toLowerCase().includes(wanted.toLowerCase()));
  return [
    ...sessions.map((session) => sessionItem(session, now, () => go({ kind: 'session', id: session.id }))),
    ...(wanted === '' ? [] : [searchItem(wanted, () => go({ kind: 'search', text: wanted }))]),
    ...commands,
  ];
}

function sessionItem(session: SessionRow, now: Date, run: () => void): PaletteItem {
  return {
    key: session.id,
    group: 'Sessions',
    label: titleOf(session),
    detail: `${session.workspace_name} · ${formatDateTime(session.started_at, now)}`,
    icon: MessageSquare,
    run,
  };
}

function searchItem(text: string, run: () => void): PaletteItem {
  return { key: 'search', group: 'Search', label: `Search all sessions for “${text}”`, icon: Search, run };
}
