import { spawn } from 'node:child_process';
import { platform } from 'node:os';

const OPENERS: Readonly<Record<string, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
  linux: ['xdg-open'],
};

/** Opens a URL in the browser if there is a screen; never waits and never fails. */
export function openBrowser(address: string, env: Readonly<Record<string, string | undefined>>): void {
  const opener = OPENERS[platform()];
  const hasScreen = platform() !== 'linux' || Boolean(env.DISPLAY || env.WAYLAND_DISPLAY);
  if (!opener || !hasScreen || env.SSH_CONNECTION || env.CI) return;
  const [program, ...args] = opener;
  const child = spawn(program, [...args, address], { detached: true, stdio: 'ignore' });
  // The URL is printed as well, so a missing opener does no harm.
  child.on('error', () => {});
  child.unref();
}
