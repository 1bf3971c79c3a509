import * as Effect from "effect/Effect";
import type { Histogram, Registry } from "prom-client";
import type { Backups } from "../../core/backups/index.ts";
import type { Instant } from "../../core/model/shared/instant.ts";
import { secondsBetween } from "../../core/model/shared/instant.ts";
import type { OperationsViews } from "../../ports/views/operations-views.ts";
import type { MetricSamples } from "../api/endpoint/telemetry.ts";

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

export interface Metrics {
  recordAnswer(endpoint: string, status: number, millis: number): void;
  /** The metrics in the Prometheus exposition format. */
  text(operations: OperationsViews, backups: Backups, at: Instant): Effect.Effect<string>;
  /** The same for another exporter. */
  samples(
    operations: OperationsViews,
    backups: Backups,
    at: Instant,
  ): Effect.Effect<readonly MetricSamples[]>;
}

/** Counts answers from the first reading on, and reads the queue at each. */
export const metrics = (): Metrics => {
  let meters: Meters | null = null;
  const read = (operations: OperationsViews, backups: Backups, at: Instant) =>
    Effect.gen(function* () {
      meters ??= yield* Effect.promise(load);
      const { registry, gauges } = meters;
      const now = yield* operations.now(at);
      const age = (from: Instant | null) => (from === null ? 0 : secondsBetween(from, at));
      const shown = yield* backups.show();
      gauges.backupAge.set(shown?.ageSec ?? Number.NaN);
      gauges.backupBytes.set(shown?.last?.bytes ?? 0);
      gauges.backupTrouble.set((shown?.trouble ?? null) === null ? 0 : 1);
      gauges.queued.set(now.runsQueued);
      gauges.running.set(now.runsRunning);
      gauges.pending.set(now.wakesPending);
      gauges.held.set(now.runsHeld);
      gauges.oldestLost.set(age(now.oldestLostRunAt));
      gauges.oldest.set(age(now.oldestPendingWakeAt));
      gauges.oldestStartable.set(age(now.oldestStartableWakeAt));
      return registry;
    });
  return {
    recordAnswer: (endpoint, status, millis) => {
      meters?.answers.observe({ endpoint, status: String(status) }, millis / 1000);
    },
    text: (...from) => Effect.flatMap(read(...from), (all) => Effect.promise(() => all.metrics())),
    samples: (...from) =>
      Effect.flatMap(read(...from), (all) =>
        // Its types say that the kind of a metric is a number.
        Effect.promise(async () => (await all.getMetricsAsJSON()) as unknown as readonly MetricSamples[]),
      ),
  };
};
