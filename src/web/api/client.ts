import { type ApiBase, type Client, createClient } from '../../client/client.ts';
import { patientFetch } from './connection.ts';
import { storedToken } from '../access/access.ts';

const clientOf = (base: ApiBase) => createClient({ origin: '', base, token: storedToken, transport: patientFetch });

/** Clients of the page's own server, for the user's sessions and for the demo. */
export const CLIENTS: Readonly<Record<ApiBase, Client>> = {
  '/api': clientOf('/api'),
  '/demo/api': clientOf('/demo/api'),
};
