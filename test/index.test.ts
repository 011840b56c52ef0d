import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as door from '../src/index.ts';

test('the library exports exactly these names', () => {
  assert.deepEqual(Object.keys(door).sort(), [
    'FiskError',
    'callTool',
    'connect',
    'createLogger',
    'discover',
    'errorList',
    'listAgents',
    'loadConfig',
    'loadNatsContext',
    'openHost',
    'startServer',
  ]);
});
