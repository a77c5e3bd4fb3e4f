import { num, opt, str } from '../kit.ts';
import { stateLine } from './state-line.ts';

export const ForkContextRefLineSchema = stateLine(
  'fork-context-ref',
  'First line of a forked sub-agent: where its inherited context ends.',
  {
    parentSessionId: opt(str),
    parentLastUuid: opt(str),
    contextLength: opt(num),
  },
);
