import { spawn } from 'node:child_process';
import { platform } from 'node:os';

const OPENERS: Readonly<Record<string, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
  linux: ['xdg-open'],
};

/** Opens an address in the person's browser, if there is one to be seen; never waits and never complains. */
export function openBrowser(address: string, env: Readonly<Record<string, string | undefined>>): void {
  const opener = OPENERS[platform()];
  const hasScreen = platform() !== 'linux' || Boolean(env.DISPLAY || env.WAYLAND_DISPLAY);
  if (!opener || !hasScreen || env.SSH_CONNECTION || env.CI) return;
  const [program, ...args] = opener;
  const child = spawn(program, [...args, address], { detached: true, stdio: 'ignore' });
  // The address is printed as well: without an opener the person clicks it there.
  child.on('error', () => {});
  child.unref();
}
