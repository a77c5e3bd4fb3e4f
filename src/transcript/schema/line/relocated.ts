import { opt, str } from '../kit.ts';
import { stateLine } from './state-line.ts';

export const RelocatedLineSchema = stateLine(
  'relocated',
  'The session moved to another directory; its file may move too.',
  {
    relocatedCwd: opt(str),
  },
);
