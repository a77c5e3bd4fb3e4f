import { type ApiBase, type Client, createClient } from '../../client/client.ts';
import { storedToken } from './token.ts';

const clientOf = (base: ApiBase) => createClient({ origin: '', base, token: storedToken });

/** The page's own server, asked for the person's sessions or for the demo. */
export const CLIENTS: Readonly<Record<ApiBase, Client>> = {
  '/api': clientOf('/api'),
  '/demo/api': clientOf('/demo/api'),
};
