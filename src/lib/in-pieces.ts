/** Regroups a stream into pieces of at least `minBytes`; only the last one may be smaller. */
export async function* inPieces(chunks: AsyncIterable<Uint8Array | string>, minBytes: number): AsyncGenerator<Buffer> {
  let held: Uint8Array[] = [];
  let heldBytes = 0;
  for await (const chunk of chunks) {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    held.push(bytes);
    heldBytes += bytes.length;
    if (heldBytes < minBytes) continue;
    yield Buffer.concat(held);
    [held, heldBytes] = [[], 0];
  }
  if (heldBytes > 0) yield Buffer.concat(held);
}
