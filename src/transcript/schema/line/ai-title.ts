import { str } from '../kit.ts';
import { stateLine } from './state-line.ts';

export const AiTitleLineSchema = stateLine(
  'ai-title',
  'Title the model gave; written again and again, the last one holds.',
  {
    aiTitle: str,
  },
);
