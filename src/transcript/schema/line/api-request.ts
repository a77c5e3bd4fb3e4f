import { z } from 'zod';
import { anything, num, opt, str } from '../kit.ts';
import { stateLine } from './state-line.ts';

export const ApiRequestLineSchema = stateLine(
  'api-request',
  'One request to the API, from 2.1.310: the first `keep` messages of `base`, then the blobs of `tail`.',
  {
    id: opt(str),
    querySource: opt(str),
    shapeHash: opt(str),
    params: opt(anything),
    base: opt(str),
    keep: opt(num),
    tail: opt(z.array(anything)),
    cacheControl: opt(anything),
    requestDigest: opt(anything),
  },
);
