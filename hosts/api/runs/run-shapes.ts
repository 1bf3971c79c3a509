import { z } from "zod";
import { messageStates } from "../../../core/model/runs/messages/run-message.ts";
import { runStatuses } from "../../../core/model/runs/run-status.ts";
import { CallerMayShape } from "../endpoint/caller-may.ts";
import { free, id, Timestamp, when } from "../endpoint/values.ts";
import { WorkspaceShape } from "../volumes/volume-shapes.ts";

const UsageShape = z.object({
  inputTokens: z.number(),
  outputTokens: z.number(),
  cachedInputTokens: z.number(),
});

export const RunShape = z.object({
  id,
  companyId: id,
  agentId: id,
  agentName: z.string(),
  issueId: id.nullable(),
  issueIdentifier: z.string().nullable(),
  issueTitle: z.string().nullable(),
  adapterType: z.string(),
  status: z.enum(runStatuses),
  wakeReason: z.string(),
  invocationSource: z.string(),
  retryOfRunId: id.nullable(),
  stopRequestedAt: when,
  stopReason: z.string().nullable(),
  heldSince: when.describe("Held because it ran too often, until a person acts."),
  waitsForPersonSince: when.describe(
    "Its program waits for a person's permission; its time limits are suspended.",
  ),
  startedAt: when,
  finishedAt: when,
  errorCode: z.string().nullable(),
  error: z.string().nullable().describe("A sentence for people."),
  exitCode: z.number().nullable(),
  signal: z.string().nullable(),
  summary: z.string().nullable(),
  usage: UsageShape.nullable(),
  costCents: z.number().nullable(),
  sessionIdBefore: z.string().nullable(),
  sessionIdAfter: z.string().nullable(),
  logBytes: z.number(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
});

export const RunDetailShape = RunShape.extend({
  callerMay: CallerMayShape("run"),
  context: free,
  serviceId: id.nullable(),
  runner: z
    .string()
    .nullable()
    .describe("Its runner; null if it has not started and goes to the service's usual one."),
  reach: z
    .string()
    .nullable()
    .describe("Where its programs run: host/<id>, k8s/<cluster>/<namespace>, docker/<engine>."),
  node: z.string().nullable().describe("The machine of its program, as its engine names it."),
  waitsFor: z.string().nullable().describe("Why its program does not run yet: a sentence."),
  process: z
    .object({ kind: z.enum(["process", "pod", "container"]), name: z.string(), uid: z.string() })
    .nullable()
    .describe("What its programs live in; the name of a process is its pid."),
  workspace: WorkspaceShape.nullable().describe("Where its agent's runs on the hosts of services work."),
  permissionRequests: z
    .array(z.object({ id, issueId: id }))
    .readonly()
    .describe("The interactions by which its program asks people now."),
  takesMessages: z.boolean().describe("Its program takes messages of people while it works."),
  takesInterrupt: z.boolean().describe("Its program can end its turn and keep its session."),
  lastOutput: z.string().nullable().describe("Last lines of output."),
  whatNext: z.string().describe("The next automatic step, or what a person can do."),
  result: free.nullable(),
  detailsDeletedAt: when.describe(
    "When its events and log were deleted, because the service keeps them for a limited time; null: they are kept.",
  ),
  wakes: z
    .array(
      z.object({
        id,
        reason: z.string(),
        status: z.string(),
        endReason: z.string().nullable(),
        createdAt: Timestamp,
      }),
    )
    .readonly(),
});

export const RunMessageShape = z.object({
  id,
  companyId: id,
  runId: id,
  body: z.string().nullable().describe("null: the text of the comment."),
  commentId: id.nullable(),
  authorUserId: id.nullable(),
  authorName: z.string().nullable(),
  state: z
    .enum(messageStates)
    .describe(
      "sent: on its way; injected: the program read it while it worked; queued: it reads it at the end of its turn, in the same run; new_run: the next run takes it.",
    ),
  deliveredAt: when.describe("When the program had it, or the next run took it up."),
  nextRunId: id.nullable().describe("The run that took it up in its prompt."),
  mayBeRepeated: z
    .boolean()
    .describe("Whether a run before nextRunId may have had it, too: it was cut off before it could say."),
  createdAt: Timestamp,
});

export const InvocationShape = z.object({
  wakeId: id,
  id: id.nullable().describe("The run; null while another run must end first."),
  status: z
    .string()
    .describe(
      "Status of the run; `deferred` while another run must end first; status of the wake if it was skipped.",
    ),
  agentId: id,
  issueId: id.nullable(),
  createdAt: Timestamp,
});

export const RunEventShape = z.object({
  runId: id,
  seq: z.number(),
  type: z.string(),
  level: z.enum(["info", "warn", "error"]),
  message: z.string().nullable(),
  payload: free,
  createdAt: Timestamp,
});

export const LogShape = z.object({ runId: id, content: z.string(), nextOffset: z.number() });

export const TranscriptShape = z.object({
  runId: id,
  parsed: z.boolean().describe("Whether the adapter's parser made the entries."),
  notParsedReason: z
    .string()
    .nullable()
    .describe("Why lines are unparsed; null if they are parsed or there is no output."),
  complete: z.boolean().describe("False if the log is longer than limitBytes."),
  isLive: z.boolean().describe("False if the run has ended: nothing follows a complete part."),
  offset: z.number().describe("Where the part begins in the stored log."),
  nextOffset: z.number(),
  entries: z.array(z.looseObject({ kind: z.string(), ts: z.string() })).readonly(),
});
