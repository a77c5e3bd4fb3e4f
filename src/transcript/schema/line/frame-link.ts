import { opt, str } from '../kit.ts';
import { stateLine } from './state-line.ts';

export const FrameLinkLineSchema = stateLine('frame-link', 'A page (artifact) the session published.', {
  frameUrl: opt(str),
  title: opt(str),
});
