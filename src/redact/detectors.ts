import { detectAssignments } from './assignments.ts';
import { COMMAND_LINES, detectCommandOptions } from './command-lines.ts';
import { detectContexts } from './context.ts';
import { detectCookies } from './cookies.ts';
import type { Detect } from './detect.ts';
import { detectEncoded } from './encoded.ts';
import { detectKeyBodies } from './key-bodies.ts';
import { detectPrivateKeys } from './private-keys.ts';
import { detectDiscordTokens, detectUrlPasswords, PROTOCOLS } from './protocols.ts';
import { detectJwk, detectKubernetesSecrets, detectNetrc, detectPgpass, FILE_VALUES } from './secret-files.ts';
import { detectVendors } from './vendors.ts';

/** All detectors, the most certain first: it names the kind when several find the same secret. */
const PLAIN: readonly Detect[] = [
  detectPrivateKeys,
  detectKeyBodies,
  detectVendors,
  detectUrlPasswords,
  detectContexts([...PROTOCOLS, ...COMMAND_LINES, ...FILE_VALUES]),
  detectDiscordTokens,
  detectCookies,
  detectCommandOptions,
  detectNetrc,
  detectPgpass,
  detectKubernetesSecrets,
  detectJwk,
  detectAssignments,
];

/** Base64 may contain base64, as the data of a Kubernetes secret does. */
export const DETECTORS: readonly Detect[] = [...PLAIN, detectEncoded([...PLAIN, detectEncoded(PLAIN)])];
