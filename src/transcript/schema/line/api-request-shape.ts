import { anything, opt, str } from '../kit.ts';
import { stateLine } from './state-line.ts';

export const ApiRequestShapeLineSchema = stateLine(
  'api-request-shape',
  'System prompt and tools of requests, by hash; the same in many sessions.',
  { shapeHash: opt(str), hash: opt(str), shape: opt(anything) },
);
