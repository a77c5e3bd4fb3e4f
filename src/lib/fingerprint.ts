/** How much of a file's head and of its tail the archive remembers as a hash, to recognise the file. */
export const FINGERPRINT_BYTES = 4 * 1024;
