import * as Effect from "effect/Effect";
import { z } from "zod";
import type { AgentCaller, BoardCaller } from "../../../core/access/caller.ts";
import type { CompanyId, RunId } from "../../../core/shared/ids.ts";
import { secondsBetween } from "../../../core/shared/instant.ts";
import type { AdapterRegistry } from "../../../ports/adapter-registry.ts";
import { Outage } from "../../../ports/outage.ts";
import type { Operations } from "../../../ports/views/operations-views.ts";
import type { Views } from "../../../ports/views.ts";
import { adminOrMetrics, inCompany, open, signedIn } from "../endpoint/access.ts";
import { endpoint, eventsEndpoint, textEndpoint } from "../endpoint/endpoint.ts";
import { eventTypes } from "../endpoint/event-feed.ts";
import { listOf, reference } from "../endpoint/values.ts";
import { agentGuide } from "./agent-guide.ts";

const EventTypes = listOf(eventTypes).optional().describe("Only events of these types.");

/** Whose events a caller may follow, in a stable order. Archived companies change no more. */
const companiesOf = (
  views: Views,
  caller: BoardCaller | AgentCaller,
): Effect.Effect<readonly CompanyId[]> => {
  if (caller.kind === "agent") return Effect.succeed([caller.companyId]);
  if (!caller.admin) return Effect.succeed([...caller.roles.keys()].sort());
  return Effect.map(views.companies.list(null, ["active", "paused"]), (all) =>
    all.map(({ id }) => id).sort(),
  );
};

/** Broken ones, those being loaded, and those that runs wait for although nobody has heard of them. */
const notLoaded = (adapters: AdapterRegistry, queued: Operations["queuedByAdapter"]) => {
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

export const system = {
  health: endpoint({
    method: "GET",
    path: "/api/health",
    summary: "Say whether the service works",
    description:
      "Anonymous callers get the status alone; instance admins get all of it. degraded: within the last half minute something could not be stored or read for a reason outside of requests, or the disk of the data directory is full. 503 with the status unhealthy: the database does not answer.",
    access: open,
    whenSilent: { afterMs: 5_000, says: { status: "unhealthy" } },
    returns: z.object({
      status: z.enum(["ok", "degraded"]),
      outage: z
        .object({ code: z.string(), error: z.string(), at: z.string() })
        .optional()
        .describe("Why it is degraded, and when that was met last."),
      version: z.string().optional(),
      role: z.string().optional(),
      startedAt: z.string().optional(),
      tickAgeSec: z.number().nullable().optional().describe("Since the background work last went round."),
      runsQueued: z.number().optional(),
      runsRunning: z.number().optional(),
      wakesPending: z.number().optional(),
      oldestPendingWakeSec: z.number().nullable().optional(),
      oldestStartableWakeSec: z
        .number()
        .nullable()
        .optional()
        .describe(
          "Of wakes that wait for nothing but a free slot: neither a live run, a provider nor a person.",
        ),
      oldestLostRunSec: z
        .number()
        .nullable()
        .optional()
        .describe(
          "Since nobody answers for a run whose service is gone: less than recoveryBoundSec, while a service is at work.",
        ),
      runsHeld: z
        .number()
        .optional()
        .describe("Held by the loop breaker until a person looks at their issues."),
      accountsHeld: z
        .array(z.object({ adapterType: z.string(), notBefore: z.string() }))
        .readonly()
        .optional()
        .describe("Accounts that a provider has told to wait, with none of their runs started before."),
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
        .describe("How many runs may be running at once; an agent's own is in its runtimeConfig."),
      processContainment: z
        .enum(["cgroup", "process_table"])
        .optional()
        .describe(
          "How the processes of a run are found: by their control group too, or by the process table alone.",
        ),
      recoveryBoundSec: z
        .number()
        .optional()
        .describe(
          "A run whose service died is ended within this time, by a service of the same host or after its lease.",
        ),
      services: z.number().optional().describe("Service processes on this database."),
      separation: z
        .object({
          level: z.enum(["separated", "partly", "not"]),
          gaps: z.array(z.string()).readonly().describe("What is not kept apart, and what would better it."),
        })
        .optional()
        .describe("How far agents' programs are kept apart from the service and from other companies'."),
      masterKeyFingerprint: z.string().optional().describe("Tells which master key this database needs."),
    }),
    failures: [],
    run: ({ views, service, clock, secrets, adapters }, _, { caller }) =>
      Effect.gen(function* () {
        const at = clock.now();
        const {
          oldestPendingWakeAt,
          oldestStartableWakeAt,
          oldestLostRunAt,
          queuedByAdapter,
          ...operations
        } = yield* views.operations.now(at);
        const isAdmin = caller.kind === "board" && caller.admin;
        // Takes a lock, which a database that only reads does not give.
        const masterKeyFingerprint = isAdmin
          ? yield* secrets.masterKeyFingerprint().pipe(
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
        const status = outage === null ? ("ok" as const) : ("degraded" as const);
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
          oldestPendingWakeSec: oldestPendingWakeAt === null ? null : secondsBetween(oldestPendingWakeAt, at),
          oldestStartableWakeSec:
            oldestStartableWakeAt === null ? null : secondsBetween(oldestStartableWakeAt, at),
          oldestLostRunSec: oldestLostRunAt === null ? null : secondsBetween(oldestLostRunAt, at),
          adaptersNotLoaded: notLoaded(adapters, queuedByAdapter),
          caps: service.caps,
          processContainment: service.processContainment(),
          recoveryBoundSec: service.recoveryBoundSec,
          separation: service.separation,
          masterKeyFingerprint,
        };
      }),
  }),
  openapi: endpoint({
    method: "GET",
    path: "/api/openapi.json",
    summary: "Describe the interface, as OpenAPI 3.1",
    description: "Anybody may read it. Who may call an operation is in its x-access.",
    access: open,
    returns: z.record(z.string(), z.unknown()),
    failures: [],
    run: ({ service }) => Effect.succeed(service.openapi()),
  }),
  agentGuide: textEndpoint({
    path: "/api/agent-guide",
    summary: "Explain to a model how to work with this interface",
    description:
      "Plain text, for the prompt of an agent: its variables, the steps of a run, and the calls it needs most. Anybody may read it.",
    access: open,
    run: () => Effect.succeed(agentGuide),
  }),
  events: eventsEndpoint({
    path: "/api/companies/{companyId}/events",
    summary: "Follow what happens in a company",
    description:
      "Server-sent events: activity.logged, heartbeat.run.event, heartbeat.run.log. Goes on after Last-Event-ID; without one, a first event stream.opened names the place where it begins. Ends when the credential does.",
    access: inCompany("viewer"),
    query: z.strictObject({
      runId: reference<RunId>().optional().describe("Only what concerns this run."),
      types: EventTypes,
    }),
    returns: z.record(z.string(), z.unknown()),
    run: ({ service }, { runId, types }, { companyId }) =>
      Effect.succeed(service.follow({ companyIds: [companyId], runId: runId ?? null, types: types ?? null })),
  }),
  allEvents: eventsEndpoint({
    path: "/api/events",
    summary: "Follow what happens in all of your companies",
    description:
      "As the events of one company, each with its companyId; of an agent, those of its own. Ends also when you gain or lose a company: go on after the Last-Event-ID.",
    access: signedIn,
    query: z.strictObject({ types: EventTypes }),
    returns: z.record(z.string(), z.unknown()),
    run: ({ service, views }, { types }, { caller }) =>
      Effect.map(companiesOf(views, caller), (companyIds) =>
        service.follow({ companyIds, runId: null, types: types ?? null }),
      ),
  }),
  metrics: textEndpoint({
    path: "/metrics",
    summary: "Print metrics for Prometheus",
    description: "For instance admins, or with the token in SERVICE_METRICS_TOKEN.",
    access: adminOrMetrics,
    run: ({ service }) => Effect.promise(() => service.metrics()),
  }),
};
