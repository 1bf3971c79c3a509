import * as Effect from "effect/Effect";
import type { Histogram, Registry } from "prom-client";
import type { Instant } from "../../core/model/shared/instant.ts";
import { secondsBetween } from "../../core/model/shared/instant.ts";
import type { MetricSamples } from "../../ports/telemetry.ts";
import type { Operations } from "../../ports/views/operations-views.ts";

interface Meters {
  readonly registry: Registry;
  readonly answers: Histogram;
  readonly gauges: Readonly<
    Record<
      | "queued"
      | "held"
      | "running"
      | "oldestLost"
      | "pending"
      | "oldest"
      | "oldestStartable"
      | "backupAge"
      | "backupBytes"
      | "backupTrouble",
      { set(value: number): void }
    >
  >;
}

/** prom-client takes a tenth of a second to load, so the first scrape loads it. */
const load = async (): Promise<Meters> => {
  // Bundled, a CommonJS module has only its default export.
  const loaded = await import("prom-client");
  const { collectDefaultMetrics, Gauge, Histogram, Registry } = loaded.default ?? loaded;
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const gauge = (name: string, help: string) => new Gauge({ name, help, registers: [registry] });
  return {
    registry,
    answers: new Histogram({
      name: "boardroom_http_answer_seconds",
      help: "Time from a request to its answer, by endpoint.",
      labelNames: ["endpoint", "status"],
      registers: [registry],
      buckets: [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3],
    }),
    gauges: {
      queued: gauge("boardroom_runs_queued", "Queued runs."),
      held: gauge("boardroom_runs_held", "Queued runs on hold until a person acts."),
      running: gauge("boardroom_runs_running", "Running runs."),
      oldestLost: gauge(
        "boardroom_oldest_lost_run_seconds",
        "Age of the oldest running run whose service is gone.",
      ),
      pending: gauge("boardroom_wakes_pending", "Wakes that have not ended."),
      oldest: gauge("boardroom_oldest_pending_wake_seconds", "Age of the oldest wake that has not ended."),
      backupAge: gauge(
        "boardroom_backup_age_seconds",
        "Time since the last good scheduled backup, or since they are scheduled. NaN: none are scheduled.",
      ),
      backupBytes: gauge("boardroom_backup_bytes", "Size of the last good scheduled backup."),
      backupTrouble: gauge("boardroom_backup_trouble", "1 while the scheduled backup fails or is overdue."),
      oldestStartable: gauge(
        "boardroom_oldest_startable_wake_seconds",
        "Age of the oldest wake that needs only a free slot.",
      ),
    },
  };
};

/** The values of the gauges. */
export interface GaugeReadings {
  readonly at: Instant;
  readonly operations: Operations;
  /** The scheduled backups; null: none are scheduled, or none has been due yet. */
  readonly backups: {
    readonly ageSec: number;
    readonly last: { readonly bytes: number } | null;
    /** null: they work, and none is overdue. */
    readonly trouble: string | null;
  } | null;
}

export interface Metrics {
  recordAnswer(endpoint: string, status: number, millis: number): void;
  /** The metrics in the Prometheus exposition format. */
  readonly text: Effect.Effect<string>;
  /** The same for another exporter. */
  readonly samples: Effect.Effect<readonly MetricSamples[]>;
}

/** Counts answers from the first scrape on, and reads the gauges at each. */
export const metrics = (readGauges: Effect.Effect<GaugeReadings>): Metrics => {
  let meters: Meters | null = null;
  const read = Effect.gen(function* () {
    meters ??= yield* Effect.promise(load);
    const { registry, gauges } = meters;
    const { at, operations, backups } = yield* readGauges;
    const age = (from: Instant | null) => (from === null ? 0 : secondsBetween(from, at));
    gauges.backupAge.set(backups?.ageSec ?? Number.NaN);
    gauges.backupBytes.set(backups?.last?.bytes ?? 0);
    gauges.backupTrouble.set((backups?.trouble ?? null) === null ? 0 : 1);
    gauges.queued.set(operations.runsQueued);
    gauges.running.set(operations.runsRunning);
    gauges.pending.set(operations.wakesPending);
    gauges.held.set(operations.runsHeld);
    gauges.oldestLost.set(age(operations.oldestLostRunAt));
    gauges.oldest.set(age(operations.oldestPendingWakeAt));
    gauges.oldestStartable.set(age(operations.oldestStartableWakeAt));
    return registry;
  });
  return {
    recordAnswer: (endpoint, status, millis) => {
      meters?.answers.observe({ endpoint, status: String(status) }, millis / 1000);
    },
    text: Effect.flatMap(read, (registry) => Effect.promise(() => registry.metrics())),
    samples: Effect.flatMap(read, (registry) =>
      // Its types say that the kind of a metric is a number.
      Effect.promise(async () => (await registry.getMetricsAsJSON()) as unknown as readonly MetricSamples[]),
    ),
  };
};
