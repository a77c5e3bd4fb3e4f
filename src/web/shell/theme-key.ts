/** Where the theme is stored. Read before the first paint, so nothing may be imported here. */
export const THEME_KEY = 'fuel-code-theme';
