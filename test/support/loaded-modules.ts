/** Preloaded into a program: writes the address of every module that it loads to the file named by FISK_TEST_LOADED. */
import { appendFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

const file = process.env['FISK_TEST_LOADED'] ?? '';

registerHooks({
  load(url, context, next) {
    appendFileSync(file, `${url}\n`);
    return next(url, context);
  },
});
