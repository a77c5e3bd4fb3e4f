import { Link } from '@tanstack/react-router';
import type { AriaAttributes, ReactNode, Ref } from 'react';
import { type DashboardFilter, type Page, readListSearch } from './place.ts';
import { DEMO, OWN, useRealm, type Realm } from './realm.ts';

interface PageLinkProps extends AriaAttributes {
  readonly page: Page;
  /** Leads out of the demo or into it; otherwise a link stays where it is. */
  readonly realm?: 'own' | 'demo';
  /** Takes the place of the current address in the history. */
  readonly isReplacing?: boolean;
  readonly className?: string | undefined;
  readonly title?: string;
  readonly tabIndex?: number;
  /** `auto` for a text from a transcript that is cut: what is cut is its end, in either direction. */
  readonly dir?: 'auto';
  /** One of several links that arrow keys move between; see charts/use-roving.ts. */
  readonly 'data-roving'?: boolean;
  /** The time of day that the link is about, in a timeline. */
  readonly 'data-minute'?: number;
  readonly ref?: Ref<HTMLAnchorElement>;
  readonly children: ReactNode;
}

const REALMS: Readonly<Record<'own' | 'demo', Realm>> = { own: OWN, demo: DEMO };

/** A link to a screen; it loads the code of the screen as soon as the pointer or the focus is on it. */
export function PageLink({ page, realm, isReplacing = false, ...rest }: PageLinkProps) {
  const current = useRealm();
  const { isDemo } = realm === undefined ? current : REALMS[realm];
  const shared = {
    ...rest,
    replace: isReplacing,
    preload: 'intent',
    activeProps: NO_PROPS,
    activeOptions: EXACT,
  } as const;
  switch (page.kind) {
    case 'list':
      return <Link to={isDemo ? '/demo' : '/'} search={readListSearch({ ...page })} {...shared} />;
    case 'dashboard':
      return (
        <Link to={isDemo ? `/demo/${page.name}` : `/${page.name}`} search={page.filter ?? NO_FILTER} {...shared} />
      );
    case 'compare':
      return (
        <Link to={isDemo ? '/demo/compare/$a/$b' : '/compare/$a/$b'} params={{ a: page.a, b: page.b }} {...shared} />
      );
    case 'search':
      return (
        <Link
          to={isDemo ? '/demo/search' : '/search'}
          search={{ q: page.text, sort: page.sort === 'time' ? 'time' : undefined }}
          {...shared}
        />
      );
    case 'session':
      return (
        <Link
          to={isDemo ? '/demo/session/$id' : '/session/$id'}
          params={{ id: page.id }}
          search={{ at: page.at ?? undefined, block: page.block ?? undefined, q: page.q, view: page.view ?? undefined }}
          {...shared}
        />
      );
    default:
      return page satisfies never;
  }
}

/** The router would mark links to the current address as `active`; `aria-current` is set where it is meant. */
const NO_PROPS = {};
/** Without this, the router also marks a link to the start of the current address. */
const EXACT = { exact: true };
const NO_FILTER: DashboardFilter = {};
