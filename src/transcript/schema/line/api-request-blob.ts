import { anything, opt, str } from '../kit.ts';
import { stateLine } from './state-line.ts';

export const ApiRequestBlobLineSchema = stateLine('api-request-blob', 'One message of requests, by hash.', {
  hash: opt(str),
  message: opt(anything),
});
