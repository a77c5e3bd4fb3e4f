/** Screens about all sessions, in the order of the rail. */
export const DASHBOARDS = ['cost', 'timeline', 'tools', 'files', 'health'] as const;
export type DashboardName = (typeof DASHBOARDS)[number];

/**
 * The addresses of the page. The server answers exactly these with the page, and the page's router has a route for each
 * of them. The demo has the same screens below /demo.
 */
const SCREEN_PATHS = [
  '/',
  '/search',
  '/session/:id',
  '/compare/:a/:b',
  ...DASHBOARDS.map((name) => `/${name}`),
] as const;

export const DEMO_PREFIX = '/demo';

export const PAGE_PATHS: readonly string[] = [
  ...SCREEN_PATHS,
  ...SCREEN_PATHS.map((path) => (path === '/' ? DEMO_PREFIX : DEMO_PREFIX + path)),
];
