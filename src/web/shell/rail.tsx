import { useParams, useRouterState } from '@tanstack/react-router';
import { Keyboard, KeyRound, List, type LucideIcon, Monitor, Moon, Search, SquareTerminal, Sun } from 'lucide-react';
import type { ReactNode } from 'react';
import { DASHBOARDS } from '../../domain/page-paths.ts';
import { PageLink } from '../routing/page-link.tsx';
import type { Page } from '../routing/place.ts';
import { DASHBOARD_VIEWS } from './dashboards.ts';
import { keyName } from './key-name.ts';
import { setTheme, THEMES, type Theme, useTheme } from './theme.ts';
import type { Panel } from './panels.tsx';
import styles from './rail.module.css';

const ICON = { size: 20, strokeWidth: 1.75, 'aria-hidden': true } as const;
const THEME_ICONS: Readonly<Record<Theme, LucideIcon>> = { system: Monitor, light: Sun, dark: Moon };

/** The screens on the left edge, or at the bottom of a narrow window. */
export function Rail({ onOpen }: { readonly onOpen: (panel: Panel) => void }) {
  return (
    <nav className={`${styles.rail} no-print`} aria-label="fuel-code">
      <Screens />
      <span className={styles.gap} />
      <RailButton label="Go to…" hint={keyName('Mod+k')} onClick={() => onOpen('palette')}>
        <SquareTerminal {...ICON} />
      </RailButton>
      <RailButton label="Browsers with access" isWideOnly onClick={() => onOpen('access')}>
        <KeyRound {...ICON} />
      </RailButton>
      <ThemeButton />
      <RailButton label="Keyboard shortcuts" hint="?" isWideOnly onClick={() => onOpen('keys')}>
        <Keyboard {...ICON} />
      </RailButton>
    </nav>
  );
}

function Screens() {
  const isSession = useParams({ strict: false }).id !== undefined;
  const screen = useRouterState({ select: ({ location }) => location.pathname.split('/').at(-1) ?? '' });
  const dashboard = DASHBOARDS.find((name) => name === screen && !isSession);
  const isSearch = screen === 'search' && !isSession;
  return (
    <>
      <RailLink
        page={{ kind: 'list' }}
        label="Sessions"
        isCurrent={!isSearch && dashboard === undefined}
        isInside={isSession}
      >
        <List {...ICON} />
      </RailLink>
      <RailLink page={{ kind: 'search', text: '' }} label="Search" isCurrent={isSearch}>
        <Search {...ICON} />
      </RailLink>
      {DASHBOARDS.map((name) => {
        const { label, icon: Icon } = DASHBOARD_VIEWS[name];
        return (
          <RailLink key={name} page={{ kind: 'dashboard', name }} label={label} isCurrent={name === dashboard}>
            <Icon {...ICON} />
          </RailLink>
        );
      })}
    </>
  );
}

interface RailLinkProps {
  readonly page: Page;
  readonly label: string;
  readonly isCurrent: boolean;
  /** The screen is one level below the link. */
  readonly isInside?: boolean;
  readonly children: ReactNode;
}

function RailLink({ page, label, isCurrent, isInside = false, children }: RailLinkProps) {
  const current = isInside ? 'true' : 'page';
  return (
    <PageLink className={styles.item} page={page} aria-label={label} aria-current={isCurrent ? current : undefined}>
      {children}
      <span className={styles.label} aria-hidden="true">
        {label}
      </span>
    </PageLink>
  );
}

interface RailButtonProps {
  readonly label: string;
  readonly hint?: string;
  /** Left out of a narrow window, which has no room for it; the palette has the same commands. */
  readonly isWideOnly?: boolean;
  readonly onClick: () => void;
  readonly children: ReactNode;
}

function RailButton({ label, hint, isWideOnly = false, onClick, children }: RailButtonProps) {
  return (
    <button
      type="button"
      className={isWideOnly ? `${styles.item} ${styles.wideOnly}` : styles.item}
      aria-label={label}
      onClick={onClick}
    >
      {children}
      <span className={styles.label} aria-hidden="true">
        {label}
        {hint !== undefined && <kbd>{hint}</kbd>}
      </span>
    </button>
  );
}

function ThemeButton() {
  const theme = useTheme();
  const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? 'system';
  const Icon = THEME_ICONS[theme];
  return (
    <RailButton label={`Theme: ${theme}`} isWideOnly onClick={() => setTheme(next)}>
      <Icon {...ICON} />
    </RailButton>
  );
}
