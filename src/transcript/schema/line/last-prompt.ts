import { bool, opt, str } from '../kit.ts';
import { stateLine } from './state-line.ts';

export const LastPromptLineSchema = stateLine(
  'last-prompt',
  'The newest prompt and the current leaf; the last one holds.',
  {
    lastPrompt: opt(str),
    leafUuid: opt(str),
    explicit: opt(bool),
    rewound: opt(bool),
  },
);
