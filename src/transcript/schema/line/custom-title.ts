import { str } from '../kit.ts';
import { stateLine } from './state-line.ts';

export const CustomTitleLineSchema = stateLine(
  'custom-title',
  'Title the person gave (/rename); goes before ai-title.',
  {
    customTitle: str,
  },
);
