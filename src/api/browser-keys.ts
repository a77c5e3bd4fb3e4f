import { z } from 'zod';
import { MAX_BROWSER_NAME_CHARS } from '../domain/device.ts';
import { commandEndpoint, queryEndpoint, shape } from './endpoint.ts';
import { done, plainText, text, textOrNull } from './values.ts';

const browserKey = shape(
  'BrowserKey',
  z.strictObject({ id: text, name: text, created_at: text, last_used_at: textOrNull }),
);
export type BrowserKey = z.infer<typeof browserKey>;

const newBrowserKey = shape(
  'NewBrowserKey',
  z.strictObject({
    id: text,
    name: text,
    key: text.meta({ description: 'Use it as the bearer token. Returned only once; only its hash is stored.' }),
  }),
);
export type NewBrowserKey = z.infer<typeof newBrowserKey>;

/** Keys of browsers: the page exchanges the token of the printed URL for one, so that the token is used only once. */
export const browserKeyEndpoints = {
  'GET /browser-keys': queryEndpoint({
    isInDemo: false,
    about: 'Browsers with access to the page, the most recently used first.',
    answer: z.strictObject({ keys: z.array(browserKey).readonly() }),
  }),
  'POST /browser-keys': commandEndpoint({
    needsServerToken: true,
    about: 'Gives a browser access and returns its key.',
    body: z.strictObject({
      name: plainText(MAX_BROWSER_NAME_CHARS).meta({ description: 'Such as `Firefox on Linux`.' }),
    }),
    answer: newBrowserKey,
  }),
  'DELETE /browser-keys/:key_id': commandEndpoint({ about: 'Revokes the access of a browser.', answer: done }),
};
