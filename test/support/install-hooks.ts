/**
 * A process that installs or removes our hooks, for tests that need several processes: `node install-hooks.ts <home>
 * <claude home> once` or `… endless`, which alternately installs and uninstalls and prints a dot each time.
 */
import { argv, stdout } from 'node:process';
import { installHooks, uninstallHooks } from '../../src/capture/hook/install.ts';
import { systemClock } from '../../src/lib/timing.ts';

const [, , home = '', claudeHome = '', mode = 'once'] = argv;
const place = { home, claudeHome, clock: systemClock };
const launcher = { node: '/nonexistent/node', program: '/nonexistent/fuel-code' };

if (mode === 'once') installHooks(place, launcher, '2.1.325');
else {
  for (;;) {
    installHooks(place, launcher, '2.1.325');
    stdout.write('.');
    uninstallHooks(place);
    stdout.write('.');
  }
}
