import { useQuery } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import {
  Filter,
  History,
  Keyboard,
  KeyRound,
  List,
  type LucideIcon,
  MessageSquare,
  Monitor,
  Moon,
  Search,
  Sun,
  Terminal,
  Trash2,
  Undo2,
} from 'lucide-react';
import { useDeferredValue } from 'react';
import type { SessionRow } from '../../api/sessions.ts';
import { DASHBOARDS } from '../../domain/page-paths.ts';
import { formatDateTime } from '../../reading/format.ts';
import { hitForm } from '../../reading/hit-form.ts';
import { titleOf } from '../../reading/names.ts';
import { isFilter, plainQuery } from '../../reading/query/plain-query.ts';
import { CLIENTS } from '../api/client.ts';
import { formatPlace } from '../routing/place.ts';
import type { Realm } from '../routing/realm.ts';
import { type Go, useGo } from '../routing/use-go.ts';
import { recentSearches } from '../search/recent-searches.ts';
import { DASHBOARD_VIEWS } from './dashboards.ts';
import { type FoundPlace, useBestMatches } from './palette-search.ts';
import type { Panel } from './panels.tsx';
import { setTheme } from './theme.ts';

export interface PaletteItem {
  readonly key: string;
  readonly group: 'Search' | 'Sessions' | 'Matches' | 'Recent searches' | 'Commands';
  readonly label: string;
  readonly detail?: string;
  /** The detail is below the label. */
  readonly isTall?: boolean;
  readonly icon: LucideIcon;
  readonly run: () => void;
}

const MAX_SESSIONS = 8;
const MAX_RECENT = 4;

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
  const matches = useBestMatches(realm, text);
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
    ...(realm.isDemo ? [] : [command(Trash2, 'Deleted sessions', () => onOpen('deleted'))]),
    ...(realm.isDemo ? [command(Undo2, 'Leave the demo', leaveDemo)] : []),
  ].filter(({ label }) => label.toLowerCase().includes(wanted.toLowerCase()));
  return [
    ...sessions.map((session) => sessionItem(session, now, () => go({ kind: 'session', id: session.id }))),
    // The name of a command comes before a search for it.
    ...(wanted === '' ? [] : commands),
    ...searchItems(wanted, recentSearches(realm.base), go),
    ...matches.places.map((place) => matchItem(place, { query: matches.query, now }, go)),
    ...(wanted === '' ? commands : []),
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

/** Searches for the text; while there is none, the searches before. */
function searchItems(text: string, recent: readonly string[], go: Go): readonly PaletteItem[] {
  if (text === '')
    return recent.slice(0, MAX_RECENT).map((query) => ({
      key: `recent ${query}`,
      group: 'Recent searches',
      label: query,
      icon: History,
      run: () => go({ kind: 'search', text: query }),
    }));
  const run = () => go({ kind: 'search', text: plainQuery(text) });
  const search = {
    key: 'search',
    group: 'Search',
    label: `Search all sessions for “${text}”`,
    icon: Search,
    run,
  } as const;
  if (!isFilter(text)) return [search];
  const filter = () => go({ kind: 'list', q: text });
  return [
    search,
    { key: 'filter', group: 'Search', label: `List the sessions with ${text}`, icon: Filter, run: filter },
  ];
}

interface MatchContext {
  readonly query: string;
  readonly now: Date;
}

/** A match, which opens in its session: when it was, the command or file, and how it ended. */
function matchItem({ session, hit }: FoundPlace, { query, now }: MatchContext, go: Go): PaletteItem {
  const { session_id: id } = session;
  const { label, head, failure } = hitForm(hit);
  const when = formatDateTime(hit.timestamp ?? session.started_at, now);
  return {
    key: `${id} ${hit.kind} ${hit.ordinal} ${hit.block}`,
    group: 'Matches',
    label: hit.snippet,
    detail: [when, head?.text ?? label, failure, titleOf(session)].filter((part) => part !== null).join(' · '),
    isTall: true,
    icon: hit.kind === 'input' || hit.kind === 'output' ? Terminal : MessageSquare,
    run: () => go({ kind: 'session', id, at: hit.ordinal, block: hit.block, q: query }),
  };
}
