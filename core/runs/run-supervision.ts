import * as Effect from "effect/Effect";
import type { ExecuteResult } from "../../ports/agent-adapter.ts";
import type { AgentRunner, Assignment, RunnerContext, RunSupervision } from "../../ports/agent-runner.ts";
import type { Answers } from "../../ports/answers.ts";
import type { Credentials } from "../../ports/credentials.ts";
import type { Handover } from "../../ports/process-runner.ts";
import type { RunInbox } from "../../ports/run-inbox.ts";
import type { RunLogs } from "../../ports/run-log.ts";
import type { Runners } from "../../ports/runners.ts";
import type { SkillCatalogue } from "../../ports/skill-catalogue.ts";
import type { Span } from "../../ports/telemetry.ts";
import type { Views } from "../../ports/views.ts";
import type { Workspace } from "../../ports/workspaces.ts";
import { spanned } from "../access/unit-of-work.ts";
import type { captureWorkspace } from "../code/workspaces/capture-workspace.ts";
import type { prepareWorkspace } from "../code/workspaces/prepare-workspace.ts";
import {
  isAllowedBy,
  type PermissionRule,
  ruleOf,
  withRule,
} from "../model/issues/interactions/permission-rule.ts";
import type { Run, RunOutcome } from "../model/runs/run.ts";
import type { resolveBindings } from "../secrets/resolve-bindings.ts";
import { captureWork } from "./capture-work.ts";
import { deliverMessages } from "./deliver-messages.ts";
import type { FinishRun } from "./finish-run.ts";
import type { Runs } from "./index.ts";
import { latestOnly } from "./latest-only.ts";
import type { MaskedLog } from "./masking/masked-log.ts";
import {
  maxOpenPermissions,
  maxPermissionsOfRun,
  notAllowed,
  permissionWaitOf,
  presented,
} from "./permission-request.ts";
import { retryAfterDefect } from "./retry-after-defect.ts";
import { runCostOf, usageReports } from "./run-cost.ts";

export interface Conduct {
  /** Traces the parts of a run; omitted: nothing is traced. */
  readonly span?: Span | undefined;
  readonly runs: Pick<
    Runs,
    | "finish"
    | "recordEvent"
    | "recordProcess"
    | "recordPlacement"
    | "recordSession"
    | "recordCost"
    | "recordLimits"
    | "askPermission"
    | "finishPermission"
    | "nextMessage"
    | "recordMessage"
    | "recordCapabilities"
    | "takeUpMessages"
  >;
  readonly views: Pick<Views, "runs" | "mcpServers">;
  readonly agentRunner: AgentRunner;
  readonly runLogs: RunLogs;
  readonly credentials: Credentials;
  readonly secrets: { readonly resolve: ReturnType<typeof resolveBindings> };
  readonly runners: Pick<Runners, "get">;
  /** null: programs end with this service. */
  readonly handover: Pick<Handover, "release"> | null;
  readonly catalogue: SkillCatalogue;
  readonly issueWorkspaces: {
    readonly prepare: ReturnType<typeof prepareWorkspace>;
    readonly keep: ReturnType<typeof captureWorkspace>;
  };
  readonly answers: Answers;
  readonly inbox: RunInbox;
  /** The URL under which agents reach the service. */
  readonly apiUrl: () => string;
  /** The service's own log of failures, without the values of the run. */
  readonly onFailure: (what: string, defect: string) => void;
}

export const toItsEnd = Effect.fnUntraced(function* (
  deps: Conduct,
  run: Run,
  log: MaskedLog,
  work: Effect.Effect<Report>,
  /** Whether it may have worked in the workspace of an issue. */
  hasWorkspace: boolean,
) {
  const trouble = troubleOf(deps, log);
  const report: Report = yield* work.pipe(
    Effect.catchDefect((defect) =>
      Effect.as(trouble("a run could not be carried out", defect), { outcome: "service_failed" as const }),
    ),
  );
  if (hasWorkspace)
    yield* retryAfterDefect(
      captureWork(deps)(run, {
        write: (text) => log.write("system", Buffer.from(text)),
        masked: (text) => log.masked(text),
      }),
    ).pipe(Effect.catchDefect((defect) => trouble("the work of a run could not be kept", defect)));
  yield* log
    .close()
    .pipe(Effect.catchDefect((defect) => trouble("the end of a run's log could not be stored", defect)));
  yield* retryAfterDefect(deps.runs.finish({ ...log.masked(report), run, lastOutput: log.tail() }));
  deps.handover?.release(run.id);
});

/** A defect may contain anything, including the run's values. */
const troubleOf = (deps: Conduct, log: MaskedLog) => (what: string, defect: unknown) =>
  Effect.sync(() => deps.onFailure(what, log.masked(String(defect))));

export type Report = Omit<FinishRun, "run" | "lastOutput">;

/** The things that another service needs to continue a run. */
export interface HandoverState {
  readonly assignment: Assignment;
  readonly workspace: Workspace;
  /** The values that the log hides. */
  readonly values: readonly string[];
}

export const execute = Effect.fnUntraced(function* (
  deps: Conduct,
  run: Run,
  assignment: Assignment,
  at: RunnerContext,
  io: RunIo,
) {
  const { log, background, given } = io;
  const supervision = supervisionOf(deps, run, io);
  const result = yield* spanned(
    deps,
    "run.execute",
    deps.agentRunner.execute(run.adapterType, assignment, at, supervision),
  );
  yield* background.stored;
  if (given.tools && !(yield* retryAfterDefect(deps.views.runs.toolsListed(run.id))))
    yield* log.write("system", Buffer.from(withoutTools));
  return reportOf(result);
});

const withoutTools = "MCP tools weren't used (POST /mcp). The program used the HTTP interface only.\n";

/** Writes in sequence, for which only the end of the run waits. */
const backgroundWrites = () => {
  let last: Effect.Effect<void> = Effect.void;
  return {
    begin: Effect.fnUntraced(function* (write: Effect.Effect<void>) {
      yield* last;
      last = yield* Effect.cached(write);
      yield* Effect.forkDetach(Effect.exit(last), { startImmediately: true });
    }),
    /** Waits for the last one; dies where it has. */
    stored: Effect.suspend(() => last),
  };
};

interface RunIo {
  readonly log: MaskedLog;
  readonly stop: AbortSignal;
  readonly background: ReturnType<typeof backgroundWrites>;
  /** Set when the adapter reports it. */
  readonly given: { tools: boolean };
  /** How long people have for an answer. */
  readonly waitSec: number;
  /** For a service that continues the run; null: none can. */
  readonly handoverState: string | null;
  readonly before: Before;
}

/** The reports that an earlier service has stored of the run, and that its adapter repeats. */
export interface Before {
  repeats(): boolean;
  /** Invocations that come again. */
  invocations: number;
}

export const runIoOf = (
  { log, stop }: Pick<RunIo, "log" | "stop">,
  { config }: Assignment,
  handoverState: string | null,
  before: Before = { repeats: () => false, invocations: 0 },
): RunIo => ({
  log,
  stop,
  handoverState,
  before,
  background: backgroundWrites(),
  given: { tools: false },
  waitSec: permissionWaitOf(config),
});

/** Receives the adapter's reports during the run. Stores only masked text. */
const supervisionOf = (
  deps: Conduct,
  run: Run,
  { log, stop, background, given, waitSec, handoverState, before }: RunIo,
  takenOver = new AbortController(),
): RunSupervision => ({
  stop: AbortSignal.any([stop, takenOver.signal]),
  onOutput: (stream, chunk) => log.write(stream, chunk),
  onMeta: ({ command, args, cwd, notes, tools }) => {
    given.tools ||= tools === true;
    before.invocations -= 1;
    if (before.invocations >= 0) return Effect.void;
    // The program need not wait for it.
    return background.begin(
      retryAfterDefect(
        deps.runs.recordEvent({
          companyId: run.companyId,
          runId: run.id,
          type: "adapter.invoke",
          level: "info",
          message: log.masked(`${command} in ${cwd}`),
          payload: log.masked({ command, args, cwd, ...(notes === undefined ? {} : { notes }) }),
        }),
      ),
    );
  },
  onUsage: unlessAgain(
    () => before.repeats(),
    usageReports(
      (cost) => deps.runs.recordCost(run, log.masked(cost)),
      (defect) => troubleOf(deps, log)("the cost of a run could not be recorded yet", defect),
    ),
  ),
  // Repeated reports would count as new.
  onLimits: (windows) =>
    before.repeats() ? Effect.void : retryAfterDefect(deps.runs.recordLimits(run, log.masked(windows))),
  onPermission: permissionsOf(deps, run, { log, stop, waitSec }),
  ...deliverMessages(deps.runs, deps.inbox, run, log, AbortSignal.any([stop, takenOver.signal])),
  onStarted: (identity) =>
    Effect.map(retryAfterDefect(deps.runs.recordProcess(run.id, identity)), (isOurs) => {
      if (!isOurs) takenOver.abort();
    }),
  onPlacement: (placement) => retryAfterDefect(deps.runs.recordPlacement(run.id, placement)),
  onSession: recordLatestSession(deps, run, log),
  ...(handoverState === null ? {} : { handoverState: () => handoverState }),
});

/** Asks people, with bounds to what a program may ask. */
const permissionsOf = (
  { runs, answers }: Conduct,
  run: Run,
  { log, stop, waitSec }: Pick<RunIo, "log" | "stop" | "waitSec">,
): RunSupervision["onPermission"] => {
  let asked = 0;
  let open = 0;
  /** Allowed by a person until the run ends; another service that continues the run reads them when it asks. */
  let rules: readonly PermissionRule[] = [];
  return Effect.fnUntraced(function* (given, over) {
    const request = presented(log.masked(given), given);
    if (!("refusal" in request) && isAllowedBy(rules, request.payload)) return { allow: true };
    if (asked >= maxPermissionsOfRun)
      return notAllowed(`The run has asked ${maxPermissionsOfRun} times. It can't ask people again.`);
    if (open >= maxOpenPermissions)
      return notAllowed(
        `The run already has ${maxOpenPermissions} open questions. Ask again when one is answered.`,
      );
    if ("refusal" in request) return notAllowed(request.refusal);
    asked += 1;
    open += 1;
    return yield* Effect.gen(function* () {
      const question = yield* retryAfterDefect(runs.askPermission({ run, request, waitSec }));
      if ("allow" in question) {
        // Nobody was asked.
        if (question.allow) asked -= 1;
        return question;
      }
      const ends = AbortSignal.any([stop, over]);
      yield* answers.wait(question.interactionId, waitSec * 1000, ends);
      const otherwise = ends.aborted ? "run_ended" : "unanswered";
      const finished = yield* retryAfterDefect(runs.finishPermission({ run, ...question, otherwise }));
      const rule = ruleOf(request.payload);
      if (finished.always === "run" && rule !== null) rules = withRule(rules, rule);
      return finished.answer;
    }).pipe(
      Effect.ensuring(
        Effect.sync(() => {
          open -= 1;
        }),
      ),
    );
  });
};

/** A report of usage replaces the one before, so an old report must not overwrite a newer one. */
const unlessAgain =
  (repeats: () => boolean, report: RunSupervision["onUsage"]): RunSupervision["onUsage"] =>
  (entries) =>
    repeats() ? Effect.void : report(entries);

/** A program may name sessions faster than they can be stored. */
const recordLatestSession = ({ runs }: Conduct, run: Run, log: MaskedLog): RunSupervision["onSession"] => {
  const store = latestOnly((session: Parameters<Runs["recordSession"]>[1]) =>
    retryAfterDefect(runs.recordSession(run, log.masked(session))),
  );
  return (params, displayId) => store({ params, displayId });
};

const reportOf = (result: ExecuteResult): Report => {
  const outcome: RunOutcome = {
    exitCode: result.exitCode,
    signal: result.signal ?? null,
    timedOut: result.timedOut,
    errorMessage: result.errorMessage ?? null,
    errorCode: result.errorCode ?? null,
  };
  return {
    outcome,
    prompted: result.prompted === true,
    summary: result.summary ?? null,
    result: result.resultJson ?? null,
    spent: runCostOf(result),
    retryNotBefore: result.retryNotBefore ?? null,
    session: result.clearSession
      ? "clear"
      : result.sessionParams === undefined
        ? null
        : { params: result.sessionParams, displayId: result.sessionDisplayId ?? null },
  };
};
