import * as Effect from "effect/Effect";
import { bytesOf, diskAdvice, largestKind } from "../../../core/model/companies/disk-use.ts";
import { schedulerIntervalSec } from "../../../core/model/routines/catch-up.ts";
import { type Instant, secondsBetween } from "../../../core/model/shared/instant.ts";
import { projectDiskAdvice } from "../../../core/model/workspaces/project-disk-use.ts";
import type { AdapterRegistry } from "../../../ports/adapter-registry.ts";
import type { NamedDiskUse, Operations } from "../../../ports/views/operations-views.ts";
import type { App } from "../endpoint/app.ts";
import type { RecentOutage } from "../endpoint/outages.ts";
import { sharedRead } from "../endpoint/shared-read.ts";

export const waitedSec = (since: Instant | null, at: Instant): number | null =>
  since === null ? null : secondsBetween(since, at);

/** Schedulers look more often than that. */
const lateTickSec = 2 * schedulerIntervalSec;

interface Judged {
  readonly outage: RecentOutage | null;
  readonly oldestDueTickAt: Instant | null;
  readonly at: Instant;
}

export const statusOf = (
  { adapters }: Pick<App, "adapters">,
  { outage, oldestDueTickAt, at }: Judged,
): "ok" | "degraded" =>
  outage !== null ||
  adapters.known().some(({ status }) => status === "failed") ||
  (waitedSec(oldestDueTickAt, at) ?? 0) > lateTickSec
    ? "degraded"
    : "ok";

/** How long a status is shown to callers who get nothing else. */
const statusForSec = 1;

interface Shown {
  readonly status: "ok" | "degraded";
  readonly at: Instant;
}

const lastShown = new WeakMap<App, Shown>();

const readStatus = sharedRead((app: App, _: object) =>
  Effect.gen(function* () {
    const at = app.clock.now();
    const { oldestDueTickAt } = yield* app.views.operations.now(at);
    const outage = yield* Effect.promise(() => app.service.recentOutage());
    const shown: Shown = { status: statusOf(app, { outage, oldestDueTickAt, at }), at };
    lastShown.set(app, shown);
    return shown;
  }),
);

/** The status for a second: anybody may ask for it, as often as the network allows, and the answer takes a look at runs. */
export const recentStatus = (app: App): Effect.Effect<Shown["status"]> =>
  Effect.suspend(() => {
    const last = lastShown.get(app);
    const ageSec = last === undefined ? null : secondsBetween(last.at, app.clock.now());
    if (last !== undefined && ageSec !== null && ageSec >= 0 && ageSec < statusForSec)
      return Effect.succeed(last.status);
    return Effect.map(readStatus(app, {}), ({ status }) => status);
  });

/** Lists adapters that are broken or being loaded, and unknown types that queued runs wait for. */
export const notLoaded = (adapters: AdapterRegistry, queued: Operations["queuedByAdapter"]) => {
  const runsOf = (type: string | null) => queued.find(({ adapterType }) => adapterType === type)?.runs ?? 0;
  const known = adapters.known().filter(({ problem, status }) => status !== "loaded" || problem !== null);
  const heardOf = new Set(adapters.known().map(({ type }) => type));
  return [
    ...known.map(({ type, status, problem }) => ({
      type,
      status: status === "loading" ? ("loading" as const) : ("failed" as const),
      error: problem,
      runsQueued: status === "loaded" ? 0 : runsOf(type),
    })),
    ...queued
      .filter(({ adapterType }) => !heardOf.has(adapterType))
      .map(({ adapterType, runs }) => ({
        type: adapterType,
        status: "missing" as const,
        error: `No adapter of type ${adapterType} is installed in this service.`,
        runsQueued: runs,
      })),
  ];
};

const shownMost = 20;

export const shownDisk = (use: NamedDiskUse | null) =>
  use === null
    ? null
    : {
        at: use.at,
        companies: use.companies
          .map((each) => ({ ...each, bytes: bytesOf(each), advice: diskAdvice[largestKind(each)] }))
          .sort((one, other) => other.bytes - one.bytes)
          .slice(0, shownMost),
        projects: use.projects
          .map((each) => ({
            ...each,
            bytes: each.workspaces + each.repositories,
            advice: projectDiskAdvice(each),
          }))
          .sort((one, other) => other.bytes - one.bytes)
          .slice(0, shownMost),
      };
