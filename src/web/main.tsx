import { QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { FuelError } from '../domain/errors.ts';
import { openAccess, reloadOnAccess } from './access/access.ts';
import { keepEntryState } from './routing/entry-state.ts';
import { formatPlace, parsePlace } from './routing/place.ts';
import { loadScreens, router } from './routing/routes.tsx';
import { loadPanels } from './shell/panels.tsx';
import { startTheme } from './shell/theme.ts';
import './styles/tokens.css';
import './styles/base.css';
import './styles/shell.css';
import './styles/session.css';
import './styles/markdown.css';
import './styles/print.css';

const STALE_MS = 5_000;
const MAX_RETRIES = 1;

startTheme();
reloadOnAccess();
await openAccess();
replaceOldAddress((address) => window.history.replaceState(null, '', address));
keepEntryState(router.history);
window.addEventListener('hashchange', () => replaceOldAddress((address) => router.history.replace(address)));

/** Requests the status again when a key was revoked while the page is open; the frame locks the page when that fails. */
function checkAccess(error: Error, what: unknown): void {
  if (what === 'status' || !(error instanceof FuelError) || error.code !== 'unauthorized') return;
  void client.invalidateQueries({ predicate: ({ queryKey }) => queryKey[1] === 'status' });
}

const client = new QueryClient({
  queryCache: new QueryCache({ onError: (error, { queryKey }) => checkAccess(error, queryKey[1]) }),
  defaultOptions: {
    // The server is usually this machine, which is reachable without a network.
    mutations: { networkMode: 'always' },
    queries: {
      networkMode: 'always',
      staleTime: STALE_MS,
      // An error response would not change; only an unreachable server is retried.
      retry: (failures, error) => error instanceof FuelError && error.code === 'unreachable' && failures < MAX_RETRIES,
    },
  },
});

const root = document.querySelector('#root');
if (root !== null) {
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={client}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </StrictMode>,
  );
}

const LOAD_REST_AFTER_MS = 1_000;
setTimeout(() => {
  loadScreens();
  loadPanels();
}, LOAD_REST_AFTER_MS);

/** Addresses up to version 0.1 had the screen in their fragment: `#/session/<id>?at=<ordinal>`. */
function replaceOldAddress(replace: (address: string) => void): void {
  const { hash } = window.location;
  if (hash.startsWith('#/')) replace(formatPlace(parsePlace(hash.slice(1))));
}
