import * as Effect from "effect/Effect";
import { z } from "zod";
import { AgentNotFound } from "../../../core/model/agents/agent.ts";
import {
  RunDetailsDeleted,
  RunHasEnded,
  RunNotFailed,
  RunNotFound,
  RunNotInterruptible,
} from "../../../core/model/runs/run.ts";
import { runStatuses } from "../../../core/model/runs/run-status.ts";
import { wakeRefusals } from "../../../core/model/runs/wake-refusal.ts";
import type { RunMessageId, WakeId } from "../../../core/model/shared/ids.ts";
import { BlobsUnavailable } from "../../../ports/blob-store.ts";
import type { PageRequest } from "../../../ports/views/page.ts";
import type { RunFilter } from "../../../ports/views/run-views.ts";
import { acting, inCompany, inCompanyOf } from "../endpoint/access.ts";
import { endpoint } from "../endpoint/endpoint.ts";
import { pageEndpoint } from "../endpoint/page-endpoint.ts";
import { sharedRead } from "../endpoint/shared-read.ts";
import { AgentReference, IssueReference, listOf, Moment, NonBlank, ShortText } from "../endpoint/values.ts";
import {
  InvocationShape,
  LogShape,
  RunDetailShape,
  RunEventShape,
  RunMessageShape,
  RunShape,
  TranscriptShape,
} from "./run-shapes.ts";

interface AskedList {
  readonly filter: RunFilter;
  readonly page: PageRequest;
}

const readList = sharedRead(({ views }, { filter, page }: AskedList) => views.runs.list(filter, page));

export const runs = {
  list: pageEndpoint({
    path: "/api/companies/{companyId}/heartbeat-runs",
    summary: "List the runs of a company",
    description: "Newest first.",
    access: inCompany("viewer"),
    query: {
      agentId: AgentReference.optional(),
      issueId: IssueReference.optional(),
      status: listOf(runStatuses).optional().describe("Comma-separated statuses."),
      errorCode: ShortText.optional().describe("timeout, process_lost, adapter_failed, …"),
      from: Moment.optional().describe("Queued from then on."),
      to: Moment.optional().describe("Queued before then."),
      finishedFrom: Moment.optional().describe("Ended then or later."),
      finishedTo: Moment.optional().describe("Ended before then."),
    },
    limits: { default: 100, max: 500 },
    row: RunShape,
    run: (app, { limit, cursor, status, ...filter }) =>
      readList(app, { filter: { ...filter, statuses: status }, page: { limit, cursor } }),
  }),
  ofIssue: pageEndpoint({
    path: "/api/issues/{issueId}/runs",
    summary: "List the runs of an issue",
    description: "Newest first.",
    access: inCompanyOf("issue", "viewer"),
    limits: { default: 100, max: 500 },
    row: RunShape,
    run: ({ views }, { issueId, limit, cursor }, { companyId }) =>
      views.runs.list({ companyId, issueId }, { limit, cursor }),
  }),
  get: endpoint({
    method: "GET",
    path: "/api/heartbeat-runs/{runId}",
    summary: "Show a run",
    description:
      "Includes its wakes, its last lines of output and whatNext: the next automatic step, or what a person can do. The log holds the whole output.",
    access: inCompanyOf("run", "viewer"),
    returns: RunDetailShape,
    failures: [RunNotFound],
    run: ({ runs }, { runId }, { caller }) => runs.show(runId, caller),
  }),
  events: pageEndpoint({
    path: "/api/heartbeat-runs/{runId}/events",
    summary: "List the events of a run",
    description: "Sorted by seq. To follow a live run, request the events after the last seq.",
    access: inCompanyOf("run", "viewer"),
    query: { afterSeq: z.coerce.number().int().min(0).max(2_147_483_647).default(0) },
    limits: { default: 100, max: 500 },
    row: RunEventShape,
    failures: [RunDetailsDeleted],
    run: ({ views }, { runId, afterSeq, limit, cursor }) =>
      views.runs
        .events(runId, afterSeq, { limit, cursor })
        .pipe(Effect.tap(() => views.runs.requireDetails(runId))),
  }),
  log: endpoint({
    method: "GET",
    path: "/api/heartbeat-runs/{runId}/log",
    summary: "Read a run's log",
    description:
      "NDJSON, one object per line with ts, stream, chunk and seq; readable while the run writes it. Continue at nextOffset; a live run may write more.",
    access: inCompanyOf("run", "viewer"),
    query: z.strictObject({
      offset: z.coerce.number().int().min(0).default(0).describe("Offset in bytes of the stored text."),
      limitBytes: z.coerce.number().int().min(1).max(1_048_576).default(256_000),
    }),
    returns: LogShape,
    failures: [BlobsUnavailable, RunDetailsDeleted],
    run: ({ runLogs, views }, { runId, offset, limitBytes }) =>
      runLogs.read(runId, offset, limitBytes).pipe(
        Effect.tap(() => views.runs.requireDetails(runId)),
        Effect.map((part) => ({ runId, ...part })),
      ),
  }),
  transcript: endpoint({
    method: "GET",
    path: "/api/heartbeat-runs/{runId}/transcript",
    summary: "Read the transcript of a run",
    description:
      "Entries have kind and ts, and the fields of their kind in the UI parser contract. Without a usable parser, lines are shown unparsed. Continue at nextOffset until complete; a live run may write more, and a line appears once it has ended. To read backwards, pass the offset of the answer as before.",
    access: inCompanyOf("run", "viewer"),
    query: z.strictObject({
      offset: z.coerce
        .number()
        .int()
        .min(0)
        .default(0)
        .describe("nextOffset of an earlier answer, in bytes of the stored log."),
      before: z.coerce
        .number()
        .int()
        .min(1)
        .optional()
        .describe("offset of an earlier answer: reads the part that ends there, instead of one from offset."),
      limitBytes: z.coerce
        .number()
        .int()
        .min(1)
        .max(8_388_608)
        .default(1_048_576)
        .describe("Of the stored log."),
    }),
    returns: TranscriptShape,
    failures: [BlobsUnavailable, RunDetailsDeleted, RunNotFound],
    run: ({ runs }, { before = null, ...input }) => runs.transcript({ ...input, before }),
  }),
  cancel: endpoint({
    method: "POST",
    path: "/api/heartbeat-runs/{runId}/cancel",
    summary: "Cancel a run",
    description:
      "A queued run ends at once; a running one is stopped and stays live until its processes are dead. Does nothing if the run has ended.",
    access: acting("run", "cancel"),
    returns: RunDetailShape,
    failures: [RunNotFound],
    run: ({ runs }, { runId }, { by, caller }) =>
      runs.cancel({ runId, by }).pipe(Effect.flatMap(() => runs.show(runId, caller))),
  }),
  say: endpoint({
    method: "POST",
    path: "/api/heartbeat-runs/{runId}/messages",
    summary: "Say something to a live run",
    description:
      "Delivered once: to the run's program, if it takes messages while it works or at the end of its turn, and otherwise to the next run. state says which. A person's comment on the run's issue reaches the program in the same way.",
    access: acting("run", "say"),
    body: z.strictObject({ body: NonBlank.describe("Plain text or Markdown.") }),
    returns: RunMessageShape,
    status: 201,
    failures: [AgentNotFound, RunHasEnded, RunNotFound],
    creates: { again: ({ views }, id) => views.runs.message(id as RunMessageId) },
    run: ({ runs, views }, input, { by, newId }) => {
      const id = newId<RunMessageId>();
      return runs.say({ ...input, id, by }).pipe(Effect.flatMap(() => views.runs.message(id)));
    },
  }),
  messages: pageEndpoint({
    path: "/api/heartbeat-runs/{runId}/messages",
    summary: "List what people said to a run, and what it took up from earlier runs",
    description:
      "Oldest first, with the state of each. Those that it took up have it as nextRunId: a program without a prompt, such as one of the adapter process, reads them here with its run token.",
    access: inCompanyOf("run", "viewer"),
    limits: { default: 100, max: 500 },
    row: RunMessageShape,
    run: ({ views }, { runId, limit, cursor }) => views.runs.messages(runId, { limit, cursor }),
  }),
  interrupt: endpoint({
    method: "POST",
    path: "/api/heartbeat-runs/{runId}/interrupt",
    summary: "Interrupt a run and keep its session",
    description:
      "Ends the turn of its program: the run ends as cancelled with turn_interrupted, and the next run of its task resumes the session. A program that still works after 15 seconds is stopped. Refused where the program cannot be interrupted: cancel stops any.",
    access: acting("run", "interrupt"),
    returns: RunDetailShape,
    failures: [RunHasEnded, RunNotFound, RunNotInterruptible],
    run: ({ runs }, { runId }, { by, caller }) =>
      runs.interrupt({ runId, by }).pipe(Effect.flatMap(() => runs.show(runId, caller))),
  }),
  retry: endpoint({
    method: "POST",
    path: "/api/heartbeat-runs/{runId}/retry",
    summary: "Try a failed run again",
    description:
      "Wakes its agent for the same issue and purpose, with the same comments and decisions; whether the new run may start is judged as for any other. Only for runs that failed, timed out or were interrupted.",
    access: acting("run", "retry"),
    returns: InvocationShape,
    status: 202,
    failures: [AgentNotFound, RunNotFailed, RunNotFound, ...wakeRefusals],
    creates: { again: ({ views }, id) => views.runs.ofWake(id as WakeId) },
    run: ({ runs, views }, { runId }, { by, newId }) => {
      const id = newId<WakeId>();
      return runs.retry({ id, runId, by }).pipe(Effect.flatMap(() => views.runs.ofWake(id)));
    },
  }),
};
