import { defineConfig, type Plugin } from 'vite';
import { THEME_KEY } from './shell/theme-key.ts';

/**
 * The content security policy of the server forbids inline code, so nothing may be inlined: no data URLs, no preload
 * script.
 */
export default defineConfig({
  root: import.meta.dirname,
  base: '/',
  publicDir: false,
  plugins: [themeBeforeFirstPaint()],
  build: {
    outDir: '../../dist/web',
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: 'es2023',
    // The first versions with light-dark().
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    sourcemap: false,
    // Every file is a request, and all of them are loaded soon after the first screen. So there is one style sheet, one file
    // for what the page starts with, one for what screens share, and one per screen.
    cssCodeSplit: false,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: 'index', tags: ['$initial'], priority: 1 },
            { name: 'shared', minShareCount: 2 },
          ],
        },
      },
    },
  },
});

const SET_THEME = `try {
  const theme = localStorage.getItem(${JSON.stringify(THEME_KEY)});
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
} catch {}
`;

/** The page itself starts after the first paint, which would show the theme of the system. The policy forbids inline scripts. */
function themeBeforeFirstPaint(): Plugin {
  return {
    name: 'theme-before-first-paint',
    apply: 'build',
    buildStart() {
      this.emitFile({ type: 'asset', name: 'theme.js', source: SET_THEME });
    },
    transformIndexHtml: {
      order: 'post',
      handler: (_html, { bundle = {} }) => {
        const asset = Object.values(bundle).find(
          ({ type, fileName }) => type === 'asset' && fileName.includes('theme'),
        );
        if (asset === undefined) throw new Error('The script of the theme is missing.');
        return [{ tag: 'script', attrs: { src: `/${asset.fileName}` }, injectTo: 'head-prepend' }];
      },
    },
  };
}
