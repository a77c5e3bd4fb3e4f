import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router';
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

const own = createRoute({ getParentRoute: () => root, id: 'own', component: OwnFrame });
const ownScreens = [
  createRoute({ getParentRoute: () => own, path: '/', component: ListScreen, validateSearch: readListSearch }),
  createRoute({
    getParentRoute: () => own,
    path: '/search',
    component: SearchScreen,
    validateSearch: readSearchSearch,
  }),
  createRoute({
    getParentRoute: () => own,
    path: '/session/$id',
    component: SessionScreen,
    validateSearch: readSessionSearch,
  }),
  createRoute({ getParentRoute: () => own, path: '/compare/$a/$b', component: CompareScreen }),
  createRoute({
    getParentRoute: () => own,
    path: '/cost',
    component: CostScreen,
    validateSearch: readDashboardSearch,
  }),
  createRoute({
    getParentRoute: () => own,
    path: '/timeline',
    component: TimelineScreen,
    validateSearch: readDashboardSearch,
  }),
  createRoute({
    getParentRoute: () => own,
    path: '/tools',
    component: ToolsScreen,
    validateSearch: readDashboardSearch,
  }),
  createRoute({
    getParentRoute: () => own,
    path: '/files',
    component: FilesScreen,
    validateSearch: readDashboardSearch,
  }),
  createRoute({
    getParentRoute: () => own,
    path: '/health',
    component: HealthScreen,
    validateSearch: readDashboardSearch,
  }),
] as const;

const demo = createRoute({ getParentRoute: () => root, path: '/demo', component: DemoFrame });
const demoScreens = [
  createRoute({ getParentRoute: () => demo, path: '/', component: ListScreen, validateSearch: readListSearch }),
  createRoute({
    getParentRoute: () => demo,
    path: '/search',
    component: SearchScreen,
    validateSearch: readSearchSearch,
  }),
  createRoute({
    getParentRoute: () => demo,
    path: '/session/$id',
    component: SessionScreen,
    validateSearch: readSessionSearch,
  }),
  createRoute({ getParentRoute: () => demo, path: '/compare/$a/$b', component: CompareScreen }),
  createRoute({
    getParentRoute: () => demo,
    path: '/cost',
    component: CostScreen,
    validateSearch: readDashboardSearch,
  }),
  createRoute({
    getParentRoute: () => demo,
    path: '/timeline',
    component: TimelineScreen,
    validateSearch: readDashboardSearch,
  }),
  createRoute({
    getParentRoute: () => demo,
    path: '/tools',
    component: ToolsScreen,
    validateSearch: readDashboardSearch,
  }),
  createRoute({
    getParentRoute: () => demo,
    path: '/files',
    component: FilesScreen,
    validateSearch: readDashboardSearch,
  }),
  createRoute({
    getParentRoute: () => demo,
    path: '/health',
    component: HealthScreen,
    validateSearch: readDashboardSearch,
  }),
] as const;

export const router = createRouter({
  routeTree: root.addChildren([own.addChildren(ownScreens), demo.addChildren(demoScreens)]),
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
