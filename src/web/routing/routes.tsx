import { type AnyRoute, createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router';
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
  patiently(() => import('../session/session-page.tsx')),
  'SessionScreen',
);
const CompareScreen = lazyRouteComponent(
  patiently(() => import('../compare/compare-page.tsx')),
  'ComparePage',
);
const CostScreen = lazyRouteComponent(
  patiently(() => import('../dashboards/cost/cost-page.tsx')),
  'CostPage',
);
const TimelineScreen = lazyRouteComponent(
  patiently(() => import('../dashboards/timeline/timeline-page.tsx')),
  'TimelinePage',
);
const ToolsScreen = lazyRouteComponent(
  patiently(() => import('../dashboards/tools/tools-page.tsx')),
  'ToolsPage',
);
const FilesScreen = lazyRouteComponent(
  patiently(() => import('../dashboards/files/files-page.tsx')),
  'FilesPage',
);
const HealthScreen = lazyRouteComponent(
  patiently(() => import('../dashboards/health/health-page.tsx')),
  'HealthPage',
);

/** Loads the code of the other screens once the first one is there. */
export function loadScreens(): void {
  const reading = [ListScreen, SessionScreen, SearchScreen, CompareScreen];
  const dashboards = [CostScreen, TimelineScreen, ToolsScreen, FilesScreen, HealthScreen];
  for (const screen of [...reading, ...dashboards]) void screen.preload?.();
}

const root = createRootRoute({ component: App, notFoundComponent: UnknownFrame });

/** The same screens for the user's own sessions and for the demo. */
const screensOf = <Parent extends AnyRoute>(parent: Parent) => {
  const getParentRoute = () => parent;
  const dashboard = { getParentRoute, validateSearch: readDashboardSearch };
  return [
    createRoute({ getParentRoute, path: '/', component: ListScreen, validateSearch: readListSearch }),
    createRoute({ getParentRoute, path: '/search', component: SearchScreen, validateSearch: readSearchSearch }),
    createRoute({ getParentRoute, path: '/session/$id', component: SessionScreen, validateSearch: readSessionSearch }),
    createRoute({ getParentRoute, path: '/compare/$a/$b', component: CompareScreen }),
    createRoute({ ...dashboard, path: '/cost', component: CostScreen }),
    createRoute({ ...dashboard, path: '/timeline', component: TimelineScreen }),
    createRoute({ ...dashboard, path: '/tools', component: ToolsScreen }),
    createRoute({ ...dashboard, path: '/files', component: FilesScreen }),
    createRoute({ ...dashboard, path: '/health', component: HealthScreen }),
  ] as const;
};

const own = createRoute({ getParentRoute: () => root, id: 'own', component: OwnFrame });
const demo = createRoute({ getParentRoute: () => root, path: '/demo', component: DemoFrame });

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
