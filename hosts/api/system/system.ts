import * as Effect from "effect/Effect";
import { z } from "zod";
import { type AgentCaller, actorOf, type BoardCaller, companiesOf } from "../../../core/access/caller.ts";
import { schedulerIntervalSec } from "../../../core/routines/catch-up.ts";
import { refusal } from "../../../core/shared/failure.ts";
import type { CompanyId, RunId } from "../../../core/shared/ids.ts";
import { type Instant, secondsBetween } from "../../../core/shared/instant.ts";
import { Outage } from "../../../ports/outage.ts";
import type { Views } from "../../../ports/views.ts";
import { actingOnInstance, adminOrMetrics, inCompany, open, signedIn } from "../endpoint/access.ts";
import { endpoint } from "../endpoint/endpoint.ts";
import { eventTypes } from "../endpoint/event-feed.ts";
import { eventsEndpoint } from "../endpoint/events-endpoint.ts";
import { textEndpoint } from "../endpoint/text-endpoint.ts";
import { listOf, reference, referencesOf } from "../endpoint/values.ts";
import { agentGuide } from "./agent-guide.ts";
import { notLoaded, shownDisk } from "./health-facts.ts";

const EventTypes = listOf(eventTypes).optional().describe("Only events of these types.");

/** The companies whose events a caller may follow, in a stable order, without archived ones: they no longer change. */
const followedCompanies = (
  views: Views,
  caller: BoardCaller | AgentCaller,
): Effect.Effect<readonly CompanyId[]> => {
  const own = companiesOf(caller);
  if (own !== null) return Effect.succeed([...own].sort());
  return Effect.map(views.companies.list(null, ["active", "paused"], caller), (all) =>
    all.map(({ id }) => id).sort(),
  );
};

const waitedSec = (since: Instant | null, at: Instant): number | null =>
  since === null ? null : secondsBetween(since, at);

/** Schedulers look more often than that. */
const lateTickSec = 2 * schedulerIntervalSec;

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
    returns: z.object({
      status: z.enum(["ok", "degraded"]),
      outage: z
        .object({ code: z.string(), error: z.string(), at: z.string() })
        .optional()
        .describe("The last outage, if one makes it degraded."),
      version: z.string().optional(),
      role: z.string().optional(),
      startedAt: z.string().optional(),
      tickAgeSec: z
        .number()
        .nullable()
        .optional()
        .describe("Seconds since the last round of background work."),
      runsQueued: z.number().optional(),
      runsRunning: z.number().optional(),
      wakesPending: z.number().optional(),
      oldestPendingWakeSec: z.number().nullable().optional(),
      oldestStartableWakeSec: z
        .number()
        .nullable()
        .optional()
        .describe(
          "Age of the oldest wake that waits only for a free slot, not for a live run, a provider, a person or a host.",
        ),
      oldestLostRunSec: z
        .number()
        .nullable()
        .optional()
        .describe(
          "Seconds since the oldest running run lost its service: less than recoveryBoundSec while a service runs.",
        ),
      oldestDueTickSec: z
        .number()
        .nullable()
        .optional()
        .describe(
          "Seconds since the earliest tick of a schedule was due; more than 60 make the service degraded.",
        ),
      runsHeld: z
        .number()
        .optional()
        .describe("Runs that the loop breaker holds until a person acts on their issues."),
      accountsHeld: z
        .array(z.object({ adapterType: z.string(), notBefore: z.string() }))
        .readonly()
        .optional()
        .describe("Rate-limited provider accounts; no run of theirs starts before notBefore."),
      adaptersNotLoaded: z
        .array(
          z.object({
            type: z.string().nullable(),
            status: z.enum(["loading", "failed", "missing"]),
            error: z.string().nullable(),
            runsQueued: z.number(),
          }),
        )
        .readonly()
        .optional()
        .describe(
          "Adapters that cannot run agents in this service, and how many runs wait for them. missing: none of that type is installed.",
        ),
      caps: z
        .object({ instance: z.number(), company: z.number(), adapterType: z.number() })
        .optional()
        .describe("How many runs may run at once; the limit of an agent is in its runtimeConfig."),
      kept: z
        .object({
          runDetailsDays: z.number().nullable().describe("Events and logs, after the end of their run."),
          activityDays: z.number().nullable(),
          costEventsDays: z
            .number()
            .nullable()
            .describe("Then they are folded into their sums, by whole months."),
        })
        .optional()
        .describe("For how many days history is kept; null: without end."),
      processContainment: z
        .enum(["cgroup", "process_table"])
        .optional()
        .describe(
          "How the processes of a run are found: by control group and process table, or by the process table only.",
        ),
      runLimits: z
        .object({
          by: z.enum(["cgroup", "rlimits"]),
          gap: z.string().nullable().describe("Why it is not the kernel, and how to improve it."),
        })
        .optional()
        .describe(
          "What limits the memory and the processes of a run: the kernel, in a control group of the run, or limits of each process and samples.",
        ),
      recoveryBoundSec: z
        .number()
        .optional()
        .describe(
          "A run whose service died ends within this time, by a service of the same host or after its lease.",
        ),
      services: z.number().optional().describe("Service processes on this database."),
      separation: z
        .object({
          level: z.enum(["separated", "partly", "not"]),
          gaps: z.array(z.string()).readonly().describe("What is not isolated, and how to improve it."),
        })
        .optional()
        .describe("How far agents' programs are isolated from the service and from other companies'."),
      backups: z
        .object({
          last: z
            .object({ file: z.string(), at: z.string(), bytes: z.number() })
            .nullable()
            .describe("The last good one."),
          ageSec: z.number().describe("Since the last good one; without one, since they are scheduled."),
          dueAt: z.string().describe("When the next one is taken, or was to be taken."),
          kept: z.number().describe("How many good ones are kept."),
          trouble: z.string().nullable().describe("A sentence, where one failed or is overdue."),
        })
        .nullable()
        .optional()
        .describe("Scheduled backups; null where none are scheduled (SERVICE_BACKUP_TO)."),
      disk: z
        .object({
          at: z.string().describe("When it was measured: once an hour."),
          companies: z
            .array(
              z.object({
                companyId: z.string(),
                companyName: z.string(),
                bytes: z.number().describe("Of all kinds."),
                files: z.number().describe("Attachments and logos."),
                logs: z.number().describe("Output of runs."),
                runs: z.number().describe("Runs, their events and wakes. Estimated, as all that follow."),
                activity: z.number(),
                costs: z.number(),
                work: z.number().describe("Issues, comments, documents and everything else."),
                advice: z.string().describe("What to do about the largest kind."),
              }),
            )
            .readonly(),
          projects: z
            .array(
              z.object({
                companyId: z.string(),
                companyName: z.string(),
                projectId: z.string(),
                projectName: z.string(),
                bytes: z.number().describe("Of workspaces and repositories."),
                workspaces: z.number().describe("Of its issues' workspaces, after their last runs."),
                mayGo: z.number().describe("Of these, what workspaces have that may be removed on request."),
                workspacesThatMayGo: z.number().int().describe("How many these are."),
                repositories: z.number().describe("Of the service's stores of its repositories."),
                advice: z.string().describe("What to do about it."),
              }),
            )
            .readonly()
            .describe("Projects with workspaces or repositories."),
        })
        .nullable()
        .optional()
        .describe(
          "Bytes on disks by company, without workspaces, and by project; the twenty largest of each first. null before the first measurement.",
        ),
      workspacesNotKept: z
        .array(
          z.object({
            workspaceId: z.string(),
            companyName: z.string(),
            branch: z.string().nullable(),
            problem: z.string(),
          }),
        )
        .readonly()
        .optional()
        .describe(
          "Workspaces with work of an ended run that could not be kept, twenty at most. It is tried again every ten minutes.",
        ),
      packsNotWhole: z
        .array(
          z.object({
            runId: z.string(),
            companyName: z.string(),
            branch: z.string(),
            problem: z.string(),
          }),
        )
        .readonly()
        .optional()
        .describe(
          "Packs of runs in the blob store that earlier versions have cut, and that could not be written anew, twenty at most.",
        ),
      heldAsRestoredSince: z
        .string()
        .nullable()
        .optional()
        .describe(
          "Since when agents are held because the database was restored from a backup: no run starts until POST /api/system/release-after-restore.",
        ),
      masterKeyFingerprint: z
        .string()
        .optional()
        .describe("Identifies the master key that this database needs."),
    }),
    failures: [Draining],
    run: ({ views, service, clock, secrets, adapters, backups }, _, { caller }) =>
      Effect.gen(function* () {
        if (service.isStopping())
          return yield* Effect.fail(new Draining({ retryAfterSec: successorAfterSec }));
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
                  Effect.sync(() => service.noteOutage(defect)),
                  undefined,
                );
              }),
            )
          : undefined;
        const outage = yield* Effect.promise(() => service.recentOutage());
        const isDegraded =
          outage !== null ||
          adapters.known().some(({ status }) => status === "failed") ||
          (waitedSec(oldestDueTickAt, at) ?? 0) > lateTickSec;
        const status = isDegraded ? ("degraded" as const) : ("ok" as const);
        if (caller.kind !== "board") return { status };
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
          workspacesNotKept: yield* views.operations.notKept(shownWorkspaces),
          packsNotWhole: yield* views.operations.packsNotWhole(shownWorkspaces),
          kept: service.kept,
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
    failures: [],
    run: ({ runs }, _, { caller }) =>
      Effect.map(runs.releaseAfterRestore({ by: actorOf(caller) }), (restored) => ({
        restoredAt: restored?.heldSince ?? null,
        releasedAt: restored?.releasedAt ?? null,
      })),
  }),
  openapi: endpoint({
    method: "GET",
    path: "/api/openapi.json",
    summary: "Describe the interface, as OpenAPI 3.1",
    description: "Public. The x-access of an operation says who may call it.",
    access: open,
    returns: z.record(z.string(), z.unknown()),
    failures: [],
    run: ({ service }) => Effect.succeed(service.openapi()),
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
    run: ({ service, views }, { types, logOfRunId }, { caller }) =>
      Effect.map(followedCompanies(views, caller), (companyIds) =>
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
