/**
 * The addresses of the page. The server answers exactly these with the page, and the page's router has a route for each
 * of them. The demo has the same screens below /demo.
 */
const SCREEN_PATHS = ['/', '/search', '/session/:id'] as const;

export const DEMO_PREFIX = '/demo';

export const PAGE_PATHS: readonly string[] = [
  ...SCREEN_PATHS,
  ...SCREEN_PATHS.map((path) => (path === '/' ? DEMO_PREFIX : DEMO_PREFIX + path)),
];
