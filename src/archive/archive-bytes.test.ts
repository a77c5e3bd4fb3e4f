import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { BlobStore } from '../domain/ports.ts';
import { archiveBytes, findSharedRanges } from './archive-bytes.ts';

const prompt = { type: 'prompt_snapshot', system: 'You are …'.repeat(1_000), text: 'with "quotes" and \\ and }{][' };

function snapshotLine(id: string): string {
  return JSON.stringify({ parentUuid: id, attachment: prompt, type: 'attachment', uuid: `${id}!`, sessionId: id });
}

/** The part of a blob store that is needed to see what would be stored. */
function createMemoryBlobs() {
  const kept = new Map<string, Uint8Array>();
  const put: BlobStore['put'] = async (bytes) => {
    const sha256 = Buffer.from(await crypto.subtle.digest('SHA-256', Buffer.from(bytes))).toString('hex');
    kept.set(sha256, Buffer.from(bytes));
    return { sha256, sizeBytes: bytes.length, storedBytes: bytes.length };
  };
  return { kept, blobs: { put } as BlobStore };
}

async function roundTrip(bytes: Uint8Array, { kept, blobs } = createMemoryBlobs()): Promise<Buffer> {
  const { segments } = await archiveBytes(blobs, { startOffset: 100, bytes });
  let at = 100;
  for (const { startOffset, sizeBytes } of segments) {
    expect(startOffset).toBe(at);
    at += sizeBytes;
  }
  return Buffer.concat(
    segments.map(({ sha256, blobOffset, sizeBytes }) =>
      (kept.get(sha256) ?? Buffer.alloc(0)).subarray(blobOffset, blobOffset + sizeBytes),
    ),
  );
}

describe('content shared by sessions', () => {
  it('is found as the value alone, without the ids around it', () => {
    const text = `{"type":"user"}\n${snapshotLine('a')}\n{"x":1}\n`;
    const [range, ...others] = findSharedRanges(Buffer.from(text));
    expect(others).toEqual([]);
    expect(Buffer.from(text).subarray(range?.from, range?.to).toString()).toBe(JSON.stringify(prompt));
  });

  it('is stored once', async () => {
    const memory = createMemoryBlobs();
    for (const id of ['a', 'b', 'c']) await roundTrip(Buffer.from(`${snapshotLine(id)}\n`), memory);
    expect(memory.kept.size).toBe(4);
  });

  it('is kept in place if the line is broken', () => {
    expect(findSharedRanges(Buffer.from(snapshotLine('a').slice(0, -1)))).toEqual([]);
    expect(findSharedRanges(Buffer.from(`{"type":"attachment"${'x'.repeat(9_000)}`))).toEqual([]);
  });

  it('every byte is restored, whatever the bytes are', async () => {
    const line = fc.oneof(
      fc.string().map((id) => snapshotLine(id)),
      fc.string({ maxLength: 200 }),
      fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes).toString('latin1')),
      fc.constant('{"type":"api-request-shape","shape":['),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(line, { maxLength: 8 }), fc.nat(), fc.nat(), async (lines, from, to) => {
        const all = Buffer.from(lines.join('\n'), 'latin1');
        const bytes = all.subarray(from % (all.length + 1), all.length - (to % 50));
        expect((await roundTrip(bytes)).equals(bytes)).toBe(true);
      }),
    );
  });
});
