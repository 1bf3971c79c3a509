import { eventFeed } from "../../adapters-infra/live-events/event-feed.ts";
import type { EventHub } from "../../adapters-infra/live-events/event-hub.ts";
import type { Metrics } from "../../adapters-infra/prometheus/metrics.ts";
import { leaseTimes } from "../../core/model/runs/lease.ts";
import type { Clock } from "../../ports/clock.ts";
import type { LocalProcessRunner } from "../../ports/process-runner.ts";
import type { Separation } from "../../ports/sandbox.ts";
import type { Views } from "../../ports/views.ts";
import type { RecentOutages } from "../api/endpoint/outages.ts";
import type { ServiceStatus } from "../api/endpoint/service-status.ts";
import type { Config } from "./config.ts";
import type { LastRound } from "./jobs/last-round.ts";
import type { ServiceAddress } from "./service-address.ts";
import { version } from "./version.ts";

/** Makes the API description. The HTTP host provides it. */
export type Describe = (version: string, address: string) => Readonly<Record<string, unknown>>;

export interface ServiceStatusParts {
  readonly config: Config;
  readonly separation: Separation;
  readonly describe: Describe;
  readonly clock: Clock;
  readonly address: ServiceAddress;
  readonly lastRound: LastRound;
  readonly metrics: Metrics;
  readonly processes: LocalProcessRunner;
  readonly views: Views;
  readonly hub: EventHub;
  readonly outages: RecentOutages;
}

/** Reports on the service itself: settings, health, metrics. */
export const serviceStatus = (parts: ServiceStatusParts): ServiceStatus => {
  const { config, separation, clock, address, lastRound, outages, processes, views } = parts;
  let isStopping = false;
  let description: Readonly<Record<string, unknown>> | null = null;
  return {
    version,
    role: config.role,
    startedAt: clock.now(),
    attachmentMaxBytes: config.attachmentMaxBytes,
    tickAgeSec: () => {
      const ageMs = lastRound.ageMs();
      return ageMs === null ? null : Math.round(ageMs / 100) / 10;
    },
    separation,
    address: address.ofService,
    caps: config.caps,
    retention: config.retention,
    recoveryBoundSec: leaseTimes(config.leaseSec).recoveryBoundSec,
    processContainment: () => processes.containment,
    runLimits: () => processes.limits,
    beginStop: () => {
      isStopping = true;
    },
    isStopping: () => isStopping,
    recordOutage: outages.note,
    recentOutage: outages.recent,
    metrics: () => parts.metrics.text,
    follow: (filter) => eventFeed(parts.hub, views.stream.isPosition, filter),
    openapi: () => {
      description ??= parts.describe(version, address.ofService());
      return description;
    },
  };
};
