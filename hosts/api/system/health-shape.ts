import { z } from "zod";

/** The answer about backups. */
export const ProtectionShape = z.object({
  isScheduled: z.boolean().describe("Whether SERVICE_BACKUP_TO is set."),
  to: z.string().nullable().describe("The folder or S3 address into which scheduled backups go."),
  isEncrypted: z.boolean().describe("Whether scheduled ones are encrypted and hold the master key."),
  last: z
    .object({ file: z.string(), at: z.string(), bytes: z.number() })
    .nullable()
    .describe("The last good one, whether it was scheduled or made by `boardroom backup`."),
  kept: z.number().describe("How many scheduled ones are kept."),
  dueAt: z.string().nullable().describe("When the next scheduled one is taken."),
  requestedAt: z.string().nullable().describe("When a person requested one that is not taken yet."),
  problem: z.string().nullable().describe("A sentence, where something is wrong."),
});

/** The answer about the health of the service; only instance admins get more than the status. */
export const HealthShape = z.object({
  status: z.enum(["ok", "degraded"]),
  outage: z
    .object({ code: z.string(), error: z.string(), at: z.string() })
    .optional()
    .describe("The last outage, if one makes it degraded."),
  version: z.string().optional(),
  role: z.string().optional(),
  startedAt: z.string().optional(),
  tickAgeSec: z.number().nullable().optional().describe("Seconds since the last round of background work."),
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
      "Packs of runs in the blob store that earlier versions have truncated, and that could not be written again; at most twenty.",
    ),
  heldAsRestoredSince: z
    .string()
    .nullable()
    .optional()
    .describe(
      "Since when agents are held because the database was restored from a backup: no run starts until POST /api/system/release-after-restore.",
    ),
  masterKeyFingerprint: z.string().optional().describe("Identifies the master key that this database needs."),
});
