/** Size of the head and the tail of a file that the archive stores as a hash to recognise the file. */
export const FINGERPRINT_BYTES = 4 * 1024;
