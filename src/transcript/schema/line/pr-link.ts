import { num, opt, str } from '../kit.ts';
import { stateLine } from './state-line.ts';

export const PrLinkLineSchema = stateLine('pr-link', 'A pull request the session made or looked at.', {
  prNumber: opt(num),
  prUrl: opt(str),
  prRepository: opt(str),
});
