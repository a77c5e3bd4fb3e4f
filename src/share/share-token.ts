import { randomBytes } from 'node:crypto';
import { sha256Hex } from '../lib/sha256.ts';

/** 128 bits: at a million guesses a second nobody finds one within the age of the universe. */
const TOKEN_BYTES = 16;
const TOKEN = /^[\w-]{22}$/;

export function makeToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

export function isToken(text: string): boolean {
  return TOKEN.test(text);
}

/** All that is kept of a token: who reads the database cannot open a link. */
export function hashToken(token: string): string {
  return sha256Hex(token);
}

/** What every stored part of a page begins with. */
export const SALT_BYTES = 16;
