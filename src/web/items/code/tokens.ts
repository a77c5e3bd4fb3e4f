export type TokenKind = 'keyword' | 'string' | 'number' | 'comment' | 'title' | 'type' | 'name' | 'removed';
export type Token = readonly [kind: TokenKind | null, text: string];
/** Lines of code as tokens. */
export type Highlighted = readonly (readonly Token[])[];
