import { deserialize, serialize } from 'node:v8';
import { describe, expect, it } from 'vitest';
import { createLineSplitter, endBytes, type LineSplitterState, pushBytes, type RawLine } from './lines.ts';

const MB = 1024 * 1024;
const MAX_BYTES = 64 * MB;

function push(state: LineSplitterState, chunks: number, visit: (line: RawLine) => void = () => {}): void {
  for (let n = 0; n < chunks; n++) pushBytes(state, Buffer.alloc(MB, 65 + (n % 26)), visit, MAX_BYTES);
}

// Regression: a line of 400 MB was held in several buffers at once, 840 MB in all.
describe('the buffer of a huge line', () => {
  it('grows in place and is released at the end of the line', () => {
    const state = createLineSplitter();
    push(state, 6);
    const { buffer } = state.carry;
    push(state, 40);
    expect(state.carry.buffer).toBe(buffer);
    expect(buffer.byteLength).toBeLessThanOrEqual(MAX_BYTES);
    const lengths: number[] = [];
    pushBytes(state, Buffer.from('\nnext\n'), ({ length }) => lengths.push(length), MAX_BYTES);
    expect(lengths).toEqual([46 * MB, 4]);
    expect(buffer.byteLength).toBe(0);
  });

  it('is released as soon as the line is too long', () => {
    const state = createLineSplitter();
    push(state, 60);
    const { buffer } = state.carry;
    push(state, 5);
    expect([buffer.byteLength, state.carry.length, state.oversize]).toEqual([0, 0, true]);
  });

  it('keeps the same bytes if the parse is stored in between', () => {
    const state = createLineSplitter();
    push(state, 6);
    const stored = serialize(state);
    const resumed = deserialize(stored) as LineSplitterState;
    const found: string[] = [];
    for (const one of [state, resumed]) {
      push(one, 6);
      endBytes(one, ({ bytes, start, end }) => found.push(bytes?.toString('latin1', start, end) ?? ''));
    }
    expect(found[0]).toHaveLength(12 * MB);
    expect(found[0] === found[1]).toBe(true);
  });
});
