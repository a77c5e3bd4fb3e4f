import { describe, expect, it } from 'vitest';
import { titleOf } from './names.ts';
import { stateOf, workspaceNameOf } from './session-facts.ts';

const UNREAD = {
  lifecycle: 'ended',
  parse_status: 'pending',
  title: null,
  cwd: null,
  workspace_name: '(no folder)',
} as const;

describe('a session whose transcript has not been parsed', () => {
  it('has no title and no folder yet', () => {
    expect(stateOf(UNREAD)).toBe('reading');
    expect(titleOf(UNREAD)).toBe('Not parsed yet');
    expect(workspaceNameOf(UNREAD)).toBeNull();
  });

  it('keeps both while it is parsed again', () => {
    const again = { ...UNREAD, title: 'Harbour', cwd: '/w', workspace_name: 'w' };
    expect([titleOf(again), workspaceNameOf(again)]).toEqual(['Harbour', 'w']);
  });

  it('is untitled and without a folder once it turns out to have neither', () => {
    const parsed = { ...UNREAD, lifecycle: 'parsed', parse_status: 'completed' } as const;
    expect([titleOf(parsed), workspaceNameOf(parsed)]).toEqual(['Untitled session', '(no folder)']);
  });
});
