const NAMES: Readonly<Record<string, string>> = {
  ArrowDown: '↓',
  ArrowUp: '↑',
  ArrowLeft: '←',
  ArrowRight: '→',
  Escape: 'Esc',
  ' ': 'Space',
};

const isMac = () => /mac|iphone|ipad/i.test(navigator.userAgent);

/** The name on the keyboard: `Mod+k` is `Ctrl K`, or `⌘ K` on a Mac. */
export function keyName(key: string): string {
  if (key.startsWith('Mod+')) return `${isMac() ? '⌘' : 'Ctrl'} ${key.slice('Mod+'.length).toUpperCase()}`;
  return NAMES[key] ?? key;
}
