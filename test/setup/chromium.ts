import { findOnPath, installDebianPackages, isExecutable } from './debian-packages.ts';

/** The headless shell is the first choice: a tab takes half the time of one in the full browser. */
const NAMES = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'];
const TO_DO = 'Install Chromium, or set CHROMIUM_PATH to its executable.';

/** Path of a Chromium: CHROMIUM_PATH, one on PATH, or Debian's, installed if necessary. Throws if none is available. */
export async function ensureChromium(): Promise<string> {
  const given = process.env['CHROMIUM_PATH'];
  if (given !== undefined && given !== '') {
    if (await isExecutable(given)) return given;
    throw new Error(`CHROMIUM_PATH names ${given}, which cannot be executed. Correct it or unset it.`);
  }
  return (await findOnPath(NAMES)) ?? (await installChromium());
}

async function installChromium(): Promise<string> {
  await installDebianPackages({
    packages: ['chromium-headless-shell'],
    neededFor: 'The browser test',
    insteadDo: TO_DO,
  });
  const installed = await findOnPath(NAMES);
  if (installed === undefined)
    throw new Error(`Debian's package chromium-headless-shell is installed but not on PATH. ${TO_DO}`);
  return installed;
}
