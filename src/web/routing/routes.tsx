import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router';
import { App, DemoFrame, OwnFrame } from '../app.tsx';
import { Loading, UnknownAddress } from '../shell/notice.tsx';
import { formatQuery, parseQuery, readSearchSearch, readSessionSearch } from './place.ts';

const ListScreen = lazyRouteComponent(() => import('../sessions/list-page.tsx'), 'ListPage');
const SearchScreen = lazyRouteComponent(() => import('../search/search-page.tsx'), 'SearchPage');
const SessionScreen = lazyRouteComponent(() => import('./session-screen.tsx'), 'SessionScreen');

const root = createRootRoute({ component: App, notFoundComponent: UnknownAddress });

const own = createRoute({ getParentRoute: () => root, id: 'own', component: OwnFrame });
const ownScreens = [
  createRoute({ getParentRoute: () => own, path: '/', component: ListScreen }),
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
] as const;

const demo = createRoute({ getParentRoute: () => root, path: '/demo', component: DemoFrame });
const demoScreens = [
  createRoute({ getParentRoute: () => demo, path: '/', component: ListScreen }),
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
] as const;

export const router = createRouter({
  routeTree: root.addChildren([own.addChildren(ownScreens), demo.addChildren(demoScreens)]),
  parseSearch: parseQuery,
  stringifySearch: formatQuery,
  defaultPendingComponent: () => <Loading what="Opening" />,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
