import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { DurationTextError, formatDuration, parseDuration } from '../../src/config/index.ts';

const HOUR = 3_600_000;

test('durations are read in every unit, and m is minutes while M is months', () => {
  const wanted: [string, number][] = [
    ['0', 0],
    ['0s', 0],
    ['30s', 30_000],
    [' 30s ', 30_000],
    ['1m30s', 90_000],
    ['1.5h', 1.5 * HOUR],
    ['.5s', 500],
    ['250ms', 250],
    ['1us', 0.001],
    ['1\u00b5s', 0.001],
    ['1\u03bcs', 0.001],
    ['1ns', 0.000001],
    ['2d', 48 * HOUR],
    ['1D', 24 * HOUR],
    ['1w', 168 * HOUR],
    ['1W', 168 * HOUR],
    ['1M', 720 * HOUR],
    ['1m', 60_000],
    ['1y', 8760 * HOUR],
    ['1Y', 8760 * HOUR],
    ['1d2h', 26 * HOUR],
    ['-5s', -5000],
    ['-1m5s', -65_000],
  ];
  for (const [text, ms] of wanted) {
    assert.equal(parseDuration(text), ms, text);
  }
});

test('days and longer are cut to whole hours', () => {
  assert.equal(parseDuration('0.05d'), HOUR);
  assert.equal(parseDuration('0.01d'), 0);
});

test('what is no duration as a whole is refused, and says why', () => {
  for (const [text, why] of [
    ['', /empty/],
    ['  ', /empty/],
    ['-', /empty/],
    ['30', /without a unit/],
    ['1m30', /without a unit/],
    ['5x10s', /unknown unit/],
    ['10s!', /no duration/],
    ['5m 30s', /no duration/],
    ['1h-5m', /no duration/],
    ['soon', /no duration/],
    ['1e3s', /unknown unit|no duration/],
    ['9999y', /292 years/],
    [`${'9'.repeat(400)}d`, /292 years/],
    ['NaN', /no duration/],
  ] as const) {
    assert.throws(
      () => parseDuration(text),
      (error) => error instanceof DurationTextError && why.test(error.message),
      text,
    );
  }
});

test('durations are written as Go writes them', () => {
  const wanted: [number, string][] = [
    [0, '0s'],
    [30_000, '30s'],
    [60_000, '1m0s'],
    [300_000, '5m0s'],
    [26 * HOUR, '26h0m0s'],
    [1500, '1.5s'],
    [500, '500ms'],
    [1.5, '1.5ms'],
    [0.002, '2\u00b5s'],
    [0.000003, '3ns'],
    [-90_000, '-1m30s'],
    [61_001, '1m1.001s'],
  ];
  for (const [ms, text] of wanted) {
    assert.equal(formatDuration(ms), text);
  }
});

test('what is written is read back as the same duration', () => {
  fc.assert(
    fc.property(fc.integer({ min: -1e12, max: 1e12 }), (us) => {
      const ms = us / 1000;
      assert.equal(parseDuration(formatDuration(ms)), ms === 0 ? 0 : ms);
    }),
  );
});

test('no text gives anything but a finite number or a refusal', () => {
  const parts = fc.constantFrom(
    '1',
    '0',
    '.',
    '-',
    's',
    'm',
    'h',
    'M',
    'd',
    'ns',
    'µ',
    ' ',
    '9'.repeat(30),
    'e',
    'x',
    '1.5',
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.array(parts).map((list) => list.join('')),
      ),
      (text) => {
        try {
          assert.ok(Number.isFinite(parseDuration(text)));
        } catch (error) {
          assert.ok(error instanceof DurationTextError, String(error));
        }
      },
    ),
    { numRuns: 2000 },
  );
});
