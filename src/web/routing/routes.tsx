import { type AnyRoute, createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router';
import type { DashboardName } from '../../domain/page-paths.ts';
import { whenReachable } from '../api/connection.ts';
import { App, DemoFrame, OwnFrame, UnknownFrame } from '../shell/app.tsx';
import { ErrorNotice, Loading } from '../shell/notice.tsx';
import {
  formatQuery,
  parseQuery,
  readDashboardSearch,
  readListSearch,
  readSearchSearch,
  readSessionSearch,
} from './place.ts';

/** Code that could not be loaded would reload the page, which fails while the server is away. */
const patiently =
  <T,>(load: () => Promise<T>) =>
  () =>
    whenReachable().then(load);

const ListScreen = lazyRouteComponent(
  patiently(() => import('../sessions/list-page.tsx')),
  'ListPage',
);
const SearchScreen = lazyRouteComponent(
  patiently(() => import('../search/search-page.tsx')),
  'SearchPage',
);
const SessionScreen = lazyRouteComponent(
  patiently(() => import('./session-screen.tsx')),
  'SessionScreen',
);
const CompareScreen = lazyRouteComponent(
  patiently(() => import('../compare/compare-page.tsx')),
  'ComparePage',
);
const DASHBOARD_SCREENS = {
  cost: lazyRouteComponent(
    patiently(() => import('../dashboards/cost/cost-page.tsx')),
    'CostPage',
  ),
  timeline: lazyRouteComponent(
    patiently(() => import('../dashboards/timeline/timeline-page.tsx')),
    'TimelinePage',
  ),
  tools: lazyRouteComponent(
    patiently(() => import('../dashboards/tools/tools-page.tsx')),
    'ToolsPage',
  ),
  files: lazyRouteComponent(
    patiently(() => import('../dashboards/files/files-page.tsx')),
    'FilesPage',
  ),
  health: lazyRouteComponent(
    patiently(() => import('../dashboards/health/health-page.tsx')),
    'HealthPage',
  ),
} as const satisfies Readonly<Record<DashboardName, unknown>>;

/** Loads the code of the other screens once the first one is there. */
export function loadScreens(): void {
  const reading = [ListScreen, SessionScreen, SearchScreen, CompareScreen];
  for (const screen of [...reading, ...Object.values(DASHBOARD_SCREENS)]) void screen.preload?.();
}

const root = createRootRoute({ component: App, notFoundComponent: UnknownFrame });

const own = createRoute({ getParentRoute: () => root, id: 'own', component: OwnFrame });
const demo = createRoute({ getParentRoute: () => root, path: '/demo', component: DemoFrame });

/** The same screens for the stored sessions and for the demo. */
function screensOf<Frame extends AnyRoute>(frame: Frame) {
  const inFrame = { getParentRoute: () => frame } as const;
  const dashboard = { ...inFrame, validateSearch: readDashboardSearch } as const;
  return [
    createRoute({ ...inFrame, path: '/', component: ListScreen, validateSearch: readListSearch }),
    createRoute({ ...inFrame, path: '/search', component: SearchScreen, validateSearch: readSearchSearch }),
    createRoute({ ...inFrame, path: '/session/$id', component: SessionScreen, validateSearch: readSessionSearch }),
    createRoute({ ...inFrame, path: '/compare/$a/$b', component: CompareScreen }),
    createRoute({ ...dashboard, path: '/cost', component: DASHBOARD_SCREENS.cost }),
    createRoute({ ...dashboard, path: '/timeline', component: DASHBOARD_SCREENS.timeline }),
    createRoute({ ...dashboard, path: '/tools', component: DASHBOARD_SCREENS.tools }),
    createRoute({ ...dashboard, path: '/files', component: DASHBOARD_SCREENS.files }),
    createRoute({ ...dashboard, path: '/health', component: DASHBOARD_SCREENS.health }),
  ] as const;
}

export const router = createRouter({
  routeTree: root.addChildren([own.addChildren(screensOf(own)), demo.addChildren(screensOf(demo))]),
  parseSearch: parseQuery,
  stringifySearch: formatQuery,
  // A screen that fails leaves the frame in place.
  defaultErrorComponent: ({ error }) => (
    <ErrorNotice error={error instanceof Error ? error : new Error(String(error))} />
  ),
  defaultPendingComponent: () => <Loading what="Opening" />,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
