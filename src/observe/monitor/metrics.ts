/// <reference path="./prom-client.d.ts" />
import type { Metric, Registry as MetricRegistry } from 'prom-client';
import heap from 'prom-client/lib/metrics/heapSizeAndUsed.js';
import memory from 'prom-client/lib/metrics/osMemoryHeap.js';
import cpu from 'prom-client/lib/metrics/processCpuTotal.js';
import descriptorLimit from 'prom-client/lib/metrics/processMaxFileDescriptors.js';
import descriptors from 'prom-client/lib/metrics/processOpenFileDescriptors.js';
import startTime from 'prom-client/lib/metrics/processStartTime.js';
import nodeVersion from 'prom-client/lib/metrics/version.js';
import Registry from 'prom-client/lib/registry.js';
import type { Tally } from '../tally.ts';
import { SERIES, type Series, type Timed } from './series.ts';

/** A value as prom-client's registry writes it. */
interface Value {
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
  readonly metricName?: string;
}

/**
 * Puts a series into prom-client's registry as one of its metrics. Its own counters and histograms would hold every
 * number a second time; this one reads it where it is, when it is asked for.
 */
class ReadMetric {
  readonly name: string;
  readonly help: string;
  readonly type: Series['type'];
  readonly aggregator = 'sum';
  readonly #values: () => Value[];

  constructor(series: Series, tally: Tally) {
    this.name = series.name;
    this.help = series.help;
    this.type = series.type;
    this.#values =
      series.type === 'histogram'
        ? () => [...series.read(tally)].flatMap((timed) => histogramValues(series.name, timed))
        : () => [...series.read(tally)].map(([labels, value]) => ({ labels, value }));
  }

  get(): { name: string; help: string; type: string; values: Value[] } {
    return { name: this.name, help: this.help, type: this.type, values: this.#values() };
  }
}

function histogramValues(name: string, [labels, { bounds, counts, count, sum }]: Timed): Value[] {
  let below = 0;
  const buckets = bounds.map((bound, at) => {
    below += counts[at] ?? 0;
    return { labels: { ...labels, le: bound }, value: below, metricName: `${name}_bucket` };
  });
  return [
    ...buckets,
    { labels: { ...labels, le: '+Inf' }, value: count, metricName: `${name}_bucket` },
    { labels, value: sum, metricName: `${name}_sum` },
    { labels, value: count, metricName: `${name}_count` },
  ];
}

/**
 * A registry of its own over the numbers of one daemon, with those of the process beside them. What prom-client counts as
 * `nodejs_active_…_total` stays out, since such a name is a counter's and it is none.
 */
export function metricsOf(tally: Tally): MetricRegistry {
  const registry = new Registry();
  for (const series of SERIES) registry.registerMetric(new ReadMetric(series, tally) as unknown as Metric);
  for (const register of [cpu, startTime, memory, heap, descriptors, descriptorLimit, nodeVersion]) register(registry);
  return registry;
}
