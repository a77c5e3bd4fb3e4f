import { SHARE_PATH } from '../../domain/share.ts';
import type { Route } from '../route.ts';
import { SHARED_PAGE_HEADERS } from '../security.ts';
import { toStream } from '../send-file.ts';

/** One and the same for a link that never was, is mistyped, has expired or was revoked. */
const NO_SUCH_PAGE = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="robots" content="noindex"><title>Page not found</title></head>
<body><p>Page not found. If you followed a link, it may have expired or been revoked.</p></body>
</html>
`;

export const sharedPageRoute: Route = {
  method: 'GET',
  path: `${SHARE_PATH}:token`,
  about: 'A shared page. Anyone with the link can read it, without a token.',
  access: 'open',
  endpoint: null,
  handle: async (context, { data }) => {
    const page = await data.openShare(context.req.param('token') ?? '');
    if (page === null) return context.body(NO_SUCH_PAGE, 404, SHARED_PAGE_HEADERS);
    const headers = { ...SHARED_PAGE_HEADERS, 'content-length': String(page.sizeBytes) };
    // The body would never be read.
    if (context.req.method === 'HEAD') return context.body(null, 200, headers);
    return context.body(toStream(page.read()), 200, headers);
  },
};
