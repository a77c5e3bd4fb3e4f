const HEAD_CHARS = 512;
const TAIL_CHARS = 128;

/** Short stand-in for a prompt, to find the same text again without keeping it: its length, and a hash of both ends. */
export function promptKeyOf(text: string): string {
  const hash = hashOf(hashOf(0x811c9dc5, text.slice(0, HEAD_CHARS)), text.slice(-TAIL_CHARS));
  return `${text.length}:${(hash >>> 0).toString(36)}`;
}

function hashOf(seed: number, text: string): number {
  let hash = seed;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash;
}
