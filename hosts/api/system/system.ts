import * as Effect from "effect/Effect";
import { z } from "zod";
import {
  type AgentCaller,
  actorOf,
  type BoardCaller,
  companiesOf,
} from "../../../core/model/access/caller.ts";
import { BackupOfHeldCopy, BackupsNotScheduled } from "../../../core/model/backups/without-backup.ts";
import { refusal } from "../../../core/model/shared/failure.ts";
import type { CompanyId, RunId } from "../../../core/model/shared/ids.ts";
import { eventTypes } from "../../../ports/event-feed.ts";
import { Outage } from "../../../ports/outage.ts";
import { actingOnInstance, adminOrMetrics, inCompany, open, signedIn } from "../endpoint/access.ts";
import type { App } from "../endpoint/app.ts";
import { endpoint } from "../endpoint/endpoint.ts";
import { eventsEndpoint } from "../endpoint/events-endpoint.ts";
import { shared } from "../endpoint/shared-read.ts";
import { textEndpoint } from "../endpoint/text-endpoint.ts";
import { listOf, reference, referencesOf } from "../endpoint/values.ts";
import { agentGuide } from "./agent-guide.ts";
import { notLoaded, recentStatus, shownDisk, statusOf, waitedSec } from "./health-facts.ts";
import { HealthShape, ProtectionShape } from "./health-shape.ts";

const EventTypes = listOf(eventTypes).optional().describe("Only events of these types.");

/** The companies whose events a caller may follow, in a stable order, without archived ones: they no longer change. */
const followedCompanies = (
  companies: App["companies"],
  caller: BoardCaller | AgentCaller,
): Effect.Effect<readonly CompanyId[]> => {
  const own = companiesOf(caller);
  if (own !== null) return Effect.succeed([...own].sort());
  return Effect.map(companies.list(null, ["active", "paused"], caller), (all) =>
    all.map(({ id }) => id).sort(),
  );
};

/** How long clients wait before they ask a stopping service again; meanwhile another may answer at its address. */
const successorAfterSec = 5;

/** How long an admin's health waits for what needs a connection of its own. */
const connectionWithinMs = 1_000;

export class Draining extends refusal(
  "draining",
  "upstream_unavailable",
  "The service was asked to stop. It answers a little longer; send new requests to another service.",
) {}

const shownWorkspaces = 20;

export const system = {
  health: endpoint({
    method: "GET",
    path: "/api/health",
    summary: "Show the health of the service",
    description:
      "Anonymous callers get only the status; instance admins get all fields. degraded: within the last half minute a read or write failed for a reason outside of requests, the disk of the data directory is full, or an adapter cannot be loaded (adaptersNotLoaded says which, and it is tried again). 503 with the status unhealthy: the database does not answer. 503 draining: the service stops soon, and a balancer should send its requests to others.",
    access: open,
    whenSilent: { afterMs: 5_000, says: { status: "unhealthy" } },
    returns: HealthShape,
    failures: [Draining],
    run: (app, _, { caller }) =>
      Effect.gen(function* () {
        const { views, service, clock, secrets, adapters, backups } = app;
        if (service.isStopping())
          return yield* Effect.fail(new Draining({ retryAfterSec: successorAfterSec }));
        if (caller.kind !== "board") return { status: yield* recentStatus(app) };
        const at = clock.now();
        const {
          oldestPendingWakeAt,
          oldestStartableWakeAt,
          oldestLostRunAt,
          oldestDueTickAt,
          queuedByAdapter,
          ...operations
        } = yield* views.operations.now(at);
        const isAdmin = caller.kind === "board" && caller.admin;
        // Takes a lock, which a read-only database refuses.
        const masterKeyFingerprint = isAdmin
          ? yield* secrets.masterKeyFingerprint().pipe(
              // It waits for a connection, and health is answered while requests have them all.
              Effect.timeoutOrElse({ duration: connectionWithinMs, orElse: () => Effect.succeed(undefined) }),
              Effect.catchDefect((defect) => {
                if (!(defect instanceof Outage)) return Effect.die(defect);
                return Effect.as(
                  Effect.sync(() => service.recordOutage(defect)),
                  undefined,
                );
              }),
            )
          : undefined;
        const outage = yield* Effect.promise(() => service.recentOutage());
        const status = statusOf(app, { outage, oldestDueTickAt, at });
        if (!isAdmin) return { status, version: service.version };
        return {
          status,
          ...(outage === null ? {} : { outage }),
          version: service.version,
          role: service.role,
          startedAt: service.startedAt,
          tickAgeSec: service.tickAgeSec(),
          ...operations,
          oldestPendingWakeSec: waitedSec(oldestPendingWakeAt, at),
          oldestStartableWakeSec: waitedSec(oldestStartableWakeAt, at),
          oldestLostRunSec: waitedSec(oldestLostRunAt, at),
          oldestDueTickSec: waitedSec(oldestDueTickAt, at),
          adaptersNotLoaded: notLoaded(adapters, queuedByAdapter),
          caps: service.caps,
          backups: yield* backups.show(),
          disk: shownDisk(yield* views.operations.disk()),
          workspacesNotKept: yield* views.operations.uncaptured(shownWorkspaces),
          packsNotWhole: yield* views.operations.packsNotWhole(shownWorkspaces),
          kept: service.retention,
          processContainment: service.processContainment(),
          runLimits: service.runLimits(),
          recoveryBoundSec: service.recoveryBoundSec,
          separation: service.separation,
          masterKeyFingerprint,
        };
      }),
  }),
  releaseAfterRestore: endpoint({
    method: "POST",
    path: "/api/system/release-after-restore",
    summary: "Release the agents of a restored backup",
    description:
      "A database that was restored from a backup holds its agents (restored), so that it and the original never work at once. Stop the original first. Queued work continues; timers and schedules do not make up for the time before. Repeated, it changes nothing. releasedAt is null where the database was not restored.",
    access: actingOnInstance("releaseAgents"),
    returns: z.object({
      restoredAt: z.string().nullable(),
      releasedAt: z.string().nullable(),
    }),
    run: ({ runs }, _, { caller }) =>
      Effect.map(runs.releaseAfterRestore({ by: actorOf(caller) }), (restored) => ({
        restoredAt: restored?.heldSince ?? null,
        releasedAt: restored?.releasedAt ?? null,
      })),
  }),
  backups: endpoint({
    method: "GET",
    path: "/api/system/backups",
    summary: "Show whether there is a backup, and when the next one is taken",
    description:
      "problem is a sentence where scheduled backups fail or are overdue, and where none are scheduled and there has been none for seven days; the inbox of instance admins has it too.",
    access: actingOnInstance("inspect"),
    returns: ProtectionShape,
    run: ({ backups }) => backups.showProtection(),
  }),
  backUp: endpoint({
    method: "POST",
    path: "/api/system/backups",
    summary: "Back up the installation now",
    description:
      "A service that runs agents takes it within a minute, into the place of the scheduled backups; they continue as scheduled. requestedAt is set until it is taken, or has failed. Repeated meanwhile, it changes nothing.",
    access: actingOnInstance("backUp"),
    returns: ProtectionShape,
    failures: [BackupsNotScheduled, BackupOfHeldCopy],
    run: ({ backups }, _, { caller }) =>
      Effect.andThen(backups.request({ by: actorOf(caller) }), backups.showProtection()),
  }),
  openapi: endpoint({
    method: "GET",
    path: "/api/openapi.json",
    summary: "Describe the interface, as OpenAPI 3.1",
    description: "Public. The x-access of an operation says who may call it.",
    access: open,
    returns: z.record(z.string(), z.unknown()),
    // Nearly a megabyte, for anybody who asks.
    run: ({ service }) => Effect.sync(() => shared(service.openapi())),
  }),
  agentGuide: textEndpoint({
    path: "/api/agent-guide",
    summary: "Show the guide for agents",
    description:
      "Public plain text for the prompt of an agent: its variables, the steps of a run, and the most frequent calls.",
    access: open,
    run: () => Effect.succeed(agentGuide),
  }),
  events: eventsEndpoint({
    path: "/api/companies/{companyId}/events",
    summary: "Follow the events of a company",
    description:
      "Server-sent events: activity.logged, heartbeat.run.event, heartbeat.run.log; and heartbeat.run.output where `types` names it, which has runId and logBytes of a run that has written, without the text. Continues after Last-Event-ID; without one, or where events after it were deleted, a first event stream.opened gives the starting position. Ends with the credential.",
    access: inCompany("viewer"),
    query: z.strictObject({
      runId: reference<RunId>().optional().describe("Only events of this run."),
      types: EventTypes,
    }),
    returns: z.record(z.string(), z.unknown()),
    run: ({ service }, { runId, types }, { companyId }) =>
      Effect.succeed(
        service.follow({
          companyIds: [companyId],
          runId: runId ?? null,
          types: types ?? null,
          logOfRunIds: null,
        }),
      ),
  }),
  allEvents: eventsEndpoint({
    path: "/api/events",
    summary: "Follow the events of all your companies",
    description:
      "As the events of one company, each with its companyId; for an agent, those of its own. Also ends when you gain or lose a company: continue after the Last-Event-ID.",
    access: signedIn,
    query: z.strictObject({
      types: EventTypes,
      logOfRunId: referencesOf<RunId>()
        .optional()
        .describe("Pieces of logs only of these runs; other types are not affected."),
    }),
    returns: z.record(z.string(), z.unknown()),
    run: ({ service, companies }, { types, logOfRunId }, { caller }) =>
      Effect.map(followedCompanies(companies, caller), (companyIds) =>
        service.follow({ companyIds, runId: null, types: types ?? null, logOfRunIds: logOfRunId ?? null }),
      ),
  }),
  metrics: textEndpoint({
    path: "/metrics",
    summary: "Print metrics for Prometheus",
    description: "For instance admins, or with the token in SERVICE_METRICS_TOKEN.",
    access: adminOrMetrics,
    run: ({ service }) => service.metrics(),
  }),
};
