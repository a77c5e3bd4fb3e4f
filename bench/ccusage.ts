import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';

/** The native ccusage as a reference, installed into a temporary folder. */

const VERSION = '20.0.24';

export interface Ccusage {
  /** One run over a Claude home on all cores; returns the output tokens it counts. */
  outputTokens(claudeHome: string): number;
  remove(): void;
}

/** Null, after printing the reason, when it is unavailable: no network, or no build for this machine. */
export function installCcusage(): Ccusage | null {
  const folder = mkdtempSync(join(tmpdir(), 'fuel-code-ccusage-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  const platform = `@ccusage/ccusage-${process.platform}-${process.arch}`;
  const binary = join(
    folder,
    'node_modules',
    platform,
    'bin',
    process.platform === 'win32' ? 'ccusage.exe' : 'ccusage',
  );
  try {
    const packages = [`ccusage@${VERSION}`, `${platform}@${VERSION}`];
    execFileSync('npm', ['install', '--prefix', folder, '--no-audit', '--no-fund', ...packages], { stdio: 'ignore' });
    if (!existsSync(binary)) throw new Error(`the package ${platform} holds no binary`);
    chmodSync(binary, 0o755);
    return { remove, outputTokens: (claudeHome) => outputTokens(binary, claudeHome) };
  } catch (error) {
    console.log(`ccusage ${VERSION} could not be installed, so there is no ratio to it: ${(error as Error).message}`);
    remove();
    return null;
  }
}

function outputTokens(binary: string, claudeHome: string): number {
  const env = { ...process.env, CLAUDE_CONFIG_DIR: claudeHome };
  const options = { env, maxBuffer: 64 * 1024 * 1024 };
  const printed = execFileSync(binary, ['claude', 'daily', '--offline', '--json'], options).toString();
  return (JSON.parse(printed) as { totals: { outputTokens: number } }).totals.outputTokens;
}
