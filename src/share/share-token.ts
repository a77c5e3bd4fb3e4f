import { randomBytes } from 'node:crypto';
import { sha256Hex } from '../lib/sha256.ts';

/** 128 bits: guessing one at a million attempts per second would take longer than the age of the universe. */
const TOKEN_BYTES = 16;
const TOKEN = /^[\w-]{22}$/;

export function makeToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

export function isToken(text: string): boolean {
  return TOKEN.test(text);
}

/** Only the hash of a token is stored, so that access to the database does not give access to links. */
export function hashToken(token: string): string {
  return sha256Hex(token);
}

/** Length of the random prefix of every stored part of a page. */
export const SALT_BYTES = 16;
