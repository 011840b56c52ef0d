import assert from 'node:assert/strict';
import { test } from 'node:test';
import rows from './cases/coercion.json' with { type: 'json' };
import { config, problems } from './support.ts';

interface Row {
  what: string;
  mode: string;
  yaml: string;
  refuses?: string;
  gives?: [string, unknown];
}

for (const { what, mode, yaml, refuses, gives } of rows as unknown as Row[]) {
  test(`${what}: ${refuses === undefined ? 'is read as one thing' : 'is refused by its key'}`, () => {
    const request = { mode: mode as 'lenient' | 'serve' };
    if (refuses !== undefined) {
      const refused = problems(yaml, request);
      assert.ok(
        refused.some(({ key }) => key === refuses),
        JSON.stringify(refused),
      );
      for (const { rule, remedy } of refused) {
        assert.notEqual(rule, '');
        assert.match(remedy, /[.?]$/);
      }
      return;
    }
    const [path, wanted] = gives ?? ['', undefined];
    const found = path
      .split('.')
      .reduce<unknown>((at, name) => (at as Record<string, unknown>)[name], config(yaml, request));
    assert.deepEqual(found, wanted);
  });
}
