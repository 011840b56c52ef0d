import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { onStopSignals } from '../../src/cli/signals.ts';
import { waitFor } from '../support/wait.ts';

/** Longer than what counts as one wish. */
const LATER_MS = 350;

/** A real signal to this very process, and a moment for it to arrive. */
async function send(signal: NodeJS.Signals): Promise<void> {
  process.kill(process.pid, signal);
  await delay(20);
}

test('signals that come together are one wish to stop, one that comes later is the next', async () => {
  const heard: string[] = [];
  const release = onStopSignals((signal) => void heard.push(signal));
  try {
    await send('SIGINT');
    await send('SIGINT');
    await send('SIGTERM');
    assert.deepEqual(heard, ['SIGINT']);
    await delay(LATER_MS);
    await send('SIGTERM');
    await send('SIGINT');
    assert.deepEqual(heard, ['SIGINT', 'SIGTERM']);
  } finally {
    release();
  }
});

test('the rest of a wish does no harm to a command that has heard it, and the next one ends it', async () => {
  const program = `
    import { firstStopSignal } from '${new URL('../../src/cli/signals.ts', import.meta.url).href}';
    const { heard } = firstStopSignal();
    setInterval(() => {}, 1000);
    console.log('ready');
    await heard;
    console.log('heard');
  `;
  const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<NodeJS.Signals | null>((resolve) => child.once('exit', (_, signal) => resolve(signal)));
  try {
    let output = '';
    child.stdout.on('data', (chunk) => {
      output += chunk;
    });
    await waitFor(() => output.includes('ready'));
    child.kill('SIGINT');
    await waitFor(() => output.includes('heard'));
    child.kill('SIGINT');
    await delay(LATER_MS);
    assert.equal(child.signalCode, null, 'the second half of the first wish is not heard');
    child.kill('SIGINT');
    assert.equal(await ended, 'SIGINT');
  } finally {
    child.kill('SIGKILL');
  }
});
