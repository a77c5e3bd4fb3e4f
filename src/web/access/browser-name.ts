/** Most specific first: Edge and Opera also call themselves Chrome, and Chrome calls itself Safari. */
const BROWSERS = [
  [/\bEdg(?:A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Chrome|CriOS)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
] as const;

const SYSTEMS = [
  [/\b(?:iPhone|iPad)\b/, 'iOS'],
  [/\bAndroid\b/, 'Android'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bLinux\b/, 'Linux'],
] as const;

type Table = readonly (readonly [RegExp, string])[];

const nameIn = (table: Table, userAgent: string) => table.find(([pattern]) => pattern.test(userAgent))?.[1];

/** A name that its owner recognizes, such as `Firefox on Linux`. */
export function browserName(userAgent: string): string {
  const system = nameIn(SYSTEMS, userAgent);
  return `${nameIn(BROWSERS, userAgent) ?? 'Browser'}${system === undefined ? '' : ` on ${system}`}`;
}
