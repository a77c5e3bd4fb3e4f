import { useParams, useSearch } from '@tanstack/react-router';
import { SessionPage } from '../session/session-page.tsx';
import { useRealm } from './realm.ts';

/** The session of the address. Another session gets a page of its own, with nothing kept from the last one. */
export function SessionScreen() {
  const { base, isDemo } = useRealm();
  const { id = '' } = useParams({ strict: false });
  const { at = null, view = null } = useSearch({ strict: false });
  return <SessionPage key={id} base={base} isDemo={isDemo} id={id} at={at} view={view} />;
}
