import { anything, opt } from '../kit.ts';
import { stateLine } from './state-line.ts';

export const AtisLatchLineSchema = stateLine('atis-latch', 'A switch of the client; empty in all files seen.', {
  atis: opt(anything),
});
