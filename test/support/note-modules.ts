import { writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

// Preloaded: records every module that the program loads.
const loaded: string[] = [];
registerHooks({
  load: (url, context, next) => {
    loaded.push(url);
    return next(url, context);
  },
});
process.on('exit', () => writeFileSync(process.env.LOADED_TO ?? '', loaded.join('\n')));
