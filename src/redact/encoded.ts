import { replaceAssignments } from './assignments.ts';
import type { Replace } from './replace.ts';
import { FORM_RULES } from './rules.ts';

/** Long enough to hide a secret, short enough not to be a picture. */
const ENCODED = /(?<![\w+/=-])[A-Za-z0-9+/_-]{32,4000}={0,2}(?![\w+/=-])/g;
const MIN_PLAIN_SHARE = 0.97;
const PRINTABLE = /[\t\n\r\u0020-\u007e]/g;

/** Base64 of a text that holds a secret of a known form; what decodes to anything but plain text is left alone. */
export const replaceEncoded: Replace = (text, found) => {
  return text.replace(ENCODED, (run) => (hidesSecret(run) ? found('encoded-secret') : run));
};

function hidesSecret(run: string): boolean {
  if (!/[A-Z]/.test(run) || !/[a-z]/.test(run)) return false;
  const decoded = Buffer.from(run, 'base64').toString('latin1');
  const printable = decoded.match(PRINTABLE)?.length ?? 0;
  if (printable < decoded.length * MIN_PLAIN_SHARE) return false;
  return (
    holdsAssignment(decoded) ||
    decoded.includes('PRIVATE KEY-----') ||
    FORM_RULES.some(
      ({ hints, pattern }) => hints.some((hint) => decoded.includes(hint)) && decoded.search(pattern) >= 0,
    )
  );
}

function holdsAssignment(text: string): boolean {
  let holds = false;
  replaceAssignments(text, () => {
    holds = true;
    return '';
  });
  return holds;
}
