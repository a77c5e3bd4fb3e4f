import { opt, str } from '../kit.ts';
import { stateLine } from './state-line.ts';

export const SummaryLineSchema = stateLine('summary', 'Title of a session, until 2.1.29.', {
  summary: str,
  leafUuid: opt(str),
});
