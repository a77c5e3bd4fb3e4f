import { useParams, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { SessionPage } from '../session/session-page.tsx';
import { useRealm } from './realm.ts';

/** The session of the address. Another session gets a page of its own, with nothing kept from the last one. */
export function SessionScreen() {
  const { base, isDemo } = useRealm();
  const { id = '' } = useParams({ strict: false });
  const { at = null, block = null, q, view = null } = useSearch({ strict: false });
  const search = useMemo(() => (q === undefined ? null : { query: q, at, block }), [q, at, block]);
  return <SessionPage key={id} base={base} isDemo={isDemo} id={id} at={at} block={block} search={search} view={view} />;
}
