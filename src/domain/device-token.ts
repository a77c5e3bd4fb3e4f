/** A token for one device: a name to look it up by, and a secret of 256 bits that no server keeps. */
const DEVICE_TOKEN = /^dev_([0-9a-f]{16})_[0-9a-f]{64}$/;

export const DEVICE_TOKEN_ID = /^[0-9a-f]{16}$/;

/** The device token of a request; null for the server's own token, which may act for every device. */
export type Sender = { readonly tokenId: string; readonly name: string } | null;

/** What a device's token is looked up by; null for the token of a server. */
export function deviceTokenId(token: string): string | null {
  return DEVICE_TOKEN.exec(token)?.[1] ?? null;
}
