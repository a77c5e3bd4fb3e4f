import type { SearchSort } from '../../api/search.ts';
import { type DashboardName, DASHBOARDS, DEMO_PREFIX } from '../../domain/page-paths.ts';
import { LIST_GROUPS, type ListGroup } from '../../domain/saved-view.ts';
import { type GivenOrder, SESSION_SORTS, type SessionSort, SORT_ORDERS } from '../../domain/session-sort.ts';

/** A screen of the page and what its address says. */
export type Page =
  | ({ readonly kind: 'list' } & ListSearch)
  /** Two sessions side by side. */
  | { readonly kind: 'compare'; readonly a: string; readonly b: string }
  | { readonly kind: 'search'; readonly text: string; readonly sort?: SearchSort }
  | {
      readonly kind: 'session';
      readonly id: string;
      readonly at?: number | null;
      /** The part of the message: a text or a call. */
      readonly block?: number | null;
      /** The search that found it. */
      readonly q?: string;
      readonly view?: string | null;
    }
  | { readonly kind: 'dashboard'; readonly name: DashboardName; readonly filter?: DashboardFilter };

/** State of the list. The filter is written in the search language and has only fields. */
export interface ListSearch extends GivenOrder {
  readonly q?: string;
  readonly group?: ListGroup;
  /** Also sessions without a prompt. */
  readonly all?: boolean;
}

export interface Place {
  readonly isDemo: boolean;
  readonly page: Page;
}

/** Parameters of a dashboard, such as a period, a tool or a path. Each dashboard has its own names. */
const DASHBOARD_PARAMETERS = ['days', 'day', 'hours', 'tool', 'status', 'path'] as const;
export type DashboardFilter = Readonly<Partial<Record<(typeof DASHBOARD_PARAMETERS)[number], string>>>;

export interface SearchSearch {
  readonly q: string;
  readonly sort?: SearchSort;
}

export interface SessionSearch {
  /** The ordinal of the message to start at. */
  readonly at?: number;
  readonly block?: number;
  readonly q?: string;
  readonly view?: string;
}

type Query = Readonly<Record<string, unknown>>;

const SORTS = Object.keys(SESSION_SORTS) as readonly SessionSort[];

export function readListSearch(query: Query): ListSearch {
  const q = textOf(query['q']).trim();
  const pick = <T extends string>(name: string, values: readonly T[]) => {
    const value = values.find((each) => each === query[name]);
    return value === undefined ? {} : { [name]: value };
  };
  return {
    ...(q === '' ? {} : { q }),
    ...pick('sort', SORTS),
    ...pick('order', SORT_ORDERS),
    ...pick('group', LIST_GROUPS),
    ...(query['all'] === true || query['all'] === 'true' ? { all: true } : {}),
  };
}

export function readDashboardSearch(query: Query): DashboardFilter {
  const given = DASHBOARD_PARAMETERS.map((name) => [name, textOf(query[name])] as const);
  return Object.fromEntries(given.filter(([, value]) => value !== ''));
}

export function readSearchSearch(query: Query): SearchSearch {
  return { q: textOf(query['q']), ...(query['sort'] === 'time' ? { sort: 'time' } : {}) };
}

export function readSessionSearch(query: Query): SessionSearch {
  const at = textOf(query['at']);
  const block = textOf(query['block']);
  const q = textOf(query['q']);
  const view = textOf(query['view']);
  return {
    ...(/^\d{1,10}$/.test(at) ? { at: Number(at) } : {}),
    ...(/^\d{1,10}$/.test(block) ? { block: Number(block) } : {}),
    ...(q === '' ? {} : { q }),
    ...(/^[a-z-]{1,20}$/.test(view) ? { view } : {}),
  };
}

/** Parameters of a link are checked as well as those of an address, so a number may be one already. */
function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

/** Values stay text: the router's own parser would turn a search for `007` into a number. */
export function parseQuery(text: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(text));
}

export function formatQuery(query: Query): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null);
  const text = new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)])).toString();
  return text === '' ? '' : `?${text}`;
}

/** `/?q=…&sort=…`, `/cost?…`, `/compare/<id>/<id>`, `/search?q=…`, `/session/<id>?at=<ordinal>&view=<name>`; the same below `/demo`. */
export function formatPlace({ isDemo, page }: Place): string {
  const prefix = isDemo ? DEMO_PREFIX : '';
  if (page.kind === 'search')
    return `${prefix}/search${formatQuery({ q: page.text, sort: page.sort === 'time' ? 'time' : undefined })}`;
  if (page.kind === 'list') return (prefix === '' ? '/' : prefix) + formatQuery({ ...readListSearch({ ...page }) });
  if (page.kind === 'compare') return `${prefix}/compare/${encodeURIComponent(page.a)}/${encodeURIComponent(page.b)}`;
  if (page.kind === 'dashboard') return `${prefix}/${page.name}${formatQuery(page.filter ?? {})}`;
  return `${prefix}/session/${encodeURIComponent(page.id)}${formatQuery({ at: page.at, block: page.block, q: page.q, view: page.view })}`;
}

/** Accepts what `formatPlace` creates, with or without a trailing slash. Anything else is the list. */
export function parsePlace(address: string): Place {
  const [path = '', query = ''] = address.split('?', 2);
  const isDemo = path === DEMO_PREFIX || path.startsWith(`${DEMO_PREFIX}/`);
  const parts = (isDemo ? path.slice(DEMO_PREFIX.length) : path).split('/').filter((part) => part !== '');
  return { isDemo, page: parsePage(parts, parseQuery(query)) };
}

function parsePage([screen, id, other]: readonly string[], query: Query): Page {
  if (screen === 'search') return searchPage(readSearchSearch(query));
  if (screen === 'session' && id !== undefined)
    return { kind: 'session', id: decodePart(id), ...readSessionSearch(query) };
  if (screen === 'compare' && id !== undefined && other !== undefined)
    return { kind: 'compare', a: decodePart(id), b: decodePart(other) };
  const dashboard = DASHBOARDS.find((name) => name === screen);
  if (dashboard !== undefined) return { kind: 'dashboard', name: dashboard, filter: readDashboardSearch(query) };
  return { kind: 'list', ...readListSearch(screen === undefined ? query : {}) };
}

function searchPage({ q, ...rest }: SearchSearch): Page {
  return { kind: 'search', text: q, ...rest };
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
