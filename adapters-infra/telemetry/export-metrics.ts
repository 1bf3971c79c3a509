import * as Effect from "effect/Effect";
import * as OtlpExporter from "effect/observability/OtlpExporter";
import type { MetricsData } from "effect/observability/OtlpMetrics";
import type * as OtlpResource from "effect/observability/OtlpResource";
import { entriesToAttributes } from "effect/observability/OtlpResource";
import { OtlpSerialization } from "effect/observability/OtlpSerialization";
import type { MetricSamples } from "../../ports/telemetry.ts";
import type { SignalSettings } from "./settings.ts";

type Metric = MetricsData["resourceMetrics"][number]["scopeMetrics"][number]["metrics"][number];

/** `AGGREGATION_TEMPORALITY_CUMULATIVE`: sums and histograms count from the start of the service. */
const cumulative = 2;

/** Sends what `GET /metrics` shows, under the same names, at each interval and once at the end. */
export const exportMetrics = Effect.fnUntraced(function* (
  { url, headers, intervalMs }: SignalSettings,
  resource: OtlpResource.Resource,
  collect: Effect.Effect<readonly MetricSamples[]>,
) {
  const serialization = yield* OtlpSerialization;
  const since = nanos(Date.now());
  const exporter = yield* OtlpExporter.make({
    label: "OtlpMetrics",
    url,
    headers,
    exportInterval: intervalMs,
    maxBatchSize: 1,
    shutdownTimeout: "3 seconds",
    body: (collected: readonly (readonly Metric[])[]) => [
      serialization.metrics({
        resourceMetrics: [
          { resource, scopeMetrics: [{ scope: { name: "boardroom" }, metrics: [...collected.at(-1)!] }] },
        ],
      }),
      Effect.void,
    ],
  });
  const push = Effect.map(collect, (samples) => {
    const now = nanos(Date.now());
    exporter.push(samples.map((one) => metricOf(one, since, now)));
  }).pipe(Effect.ignoreCause);
  // Closed before the exporter, which then sends it. A database that is away must not delay the end.
  yield* Effect.addFinalizer(() => push.pipe(Effect.interruptible, Effect.timeoutOption("2 seconds")));
  yield* push.pipe(Effect.delay(intervalMs), Effect.forever, Effect.forkScoped);
});

const nanos = (ms: number): string => `${ms}000000`;

const metricOf = (samples: MetricSamples, since: string, now: string): Metric => {
  const { name, help: description, type, values } = samples;
  const times = { startTimeUnixNano: since, timeUnixNano: now };
  const point = ({ labels, value }: MetricSamples["values"][number]) => ({
    ...times,
    attributes: entriesToAttributes(Object.entries(labels)),
    asDouble: value,
  });
  const begin = { name, description, unit: unitOf(name) };
  if (type === "histogram")
    return {
      ...begin,
      histogram: {
        aggregationTemporality: cumulative,
        dataPoints: histogramPoints(samples).map((each) => ({ ...times, ...each })),
      },
    };
  return type === "counter"
    ? {
        ...begin,
        sum: { aggregationTemporality: cumulative, isMonotonic: true, dataPoints: values.map(point) },
      }
    : { ...begin, gauge: { dataPoints: values.filter(({ value }) => !Number.isNaN(value)).map(point) } };
};

/** The unit at the end of the name. Prometheus adds none to what has none. */
const unitOf = (name: string): string =>
  /_seconds(?:_total)?$/.test(name) ? "s" : /_bytes(?:_total)?$/.test(name) ? "By" : "";

/** Prometheus counts in each bucket what is in those below it, too; OTLP does not. */
const histogramPoints = ({ name, values }: MetricSamples) => {
  const points = new Map<
    string,
    { labels: object; buckets: [bound: number, count: number][]; sum: number }
  >();
  for (const { labels, metricName, value } of values) {
    const { le, ...others } = labels;
    const key = JSON.stringify(others);
    const point = points.get(key) ?? { labels: others, buckets: [], sum: 0 };
    points.set(key, point);
    if (metricName === `${name}_sum`) point.sum = value;
    else if (metricName === `${name}_bucket`)
      point.buckets.push([le === "+Inf" ? Number.POSITIVE_INFINITY : Number(le), value]);
  }
  return [...points.values()].map(({ labels, buckets, sum }) => {
    const sorted = buckets.sort(([one], [other]) => one - other);
    return {
      attributes: entriesToAttributes(Object.entries(labels)),
      count: sorted.at(-1)?.[1] ?? 0,
      sum,
      bucketCounts: sorted.map(([, count], at) => count - (sorted[at - 1]?.[1] ?? 0)),
      explicitBounds: sorted.map(([bound]) => bound).filter(Number.isFinite),
    };
  });
};
