/**
 * Long texts that JSON.parse need not see, by where they stand: the key of the line's object that they are below, how
 * many objects and arrays they are in, and their own key. A key that is not listed is parsed like everything else.
 */
export interface TextRule {
  readonly below: string;
  /** Depth of the object that holds the text; the line itself is 1. */
  readonly depth: number | 'any';
  readonly keys: readonly string[];
  /** A text that nobody reads is cut; one that is read is decoded by itself and put back. */
  readonly action: 'cut' | 'setAside';
}

/** Depths from here on count as one. */
export const DEPTHS = 8;

/** What a tool printed or read stands in `message.content` once more; of the rest only names and types are asked for. */
const RESULT_TEXTS = [
  'stdout',
  'stderr',
  'content',
  'text',
  'base64',
  'originalFile',
  'oldString',
  'newString',
  'original_file',
  'updated_file',
  'output',
  'result',
  'prompt',
];

export const INPUT_TEXTS = ['command', 'content', 'old_string', 'new_string', 'prompt', 'plan'];
export const BLOCK_TEXTS = ['content', 'text', 'thinking'];

export const TEXT_RULES: readonly TextRule[] = [
  { below: 'toolUseResult', depth: 'any', keys: RESULT_TEXTS, action: 'cut' },
  { below: 'data', depth: 2, keys: ['output', 'fullOutput', 'command', 'prompt', 'promptText'], action: 'cut' },
  { below: 'attachment', depth: 2, keys: ['command'], action: 'cut' },
  { below: 'rendered', depth: 'any', keys: ['text', 'content'], action: 'cut' },
  { below: 'message', depth: 2, keys: ['content'], action: 'setAside' },
  { below: 'message', depth: 4, keys: [...BLOCK_TEXTS, 'signature'], action: 'setAside' },
  { below: 'message', depth: 5, keys: [...INPUT_TEXTS, 'data'], action: 'setAside' },
  { below: 'message', depth: 6, keys: ['text'], action: 'setAside' },
  { below: 'message', depth: 7, keys: ['data'], action: 'setAside' },
];
