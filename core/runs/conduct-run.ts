import * as Effect from "effect/Effect";
import * as Schedule from "effect/Schedule";
import type { ExecuteResult, RunContext, RunSkills } from "../../ports/agent-adapter.ts";
import type { AgentRunner, Assignment, RunSupervision } from "../../ports/agent-runner.ts";
import type { Answers } from "../../ports/answers.ts";
import type { Credentials } from "../../ports/credentials.ts";
import type { RunLogs } from "../../ports/run-log.ts";
import type { Runners } from "../../ports/runners.ts";
import type { SkillCatalogue } from "../../ports/skill-catalogue.ts";
import type { RunTask } from "../../ports/views/run-views.ts";
import type { Views } from "../../ports/views.ts";
import type { Workspace } from "../../ports/workspaces.ts";
import { type AdapterConfig, desiredSkillsOf } from "../agents/agent-config.ts";
import type { resolveBindings } from "../secrets/resolve-bindings.ts";
import { agentEnvironment } from "./agent-environment.ts";
import type { ClaimedRun } from "./claim-runs.ts";
import { fillBindings } from "./fill-bindings.ts";
import type { FinishRun } from "./finish-run.ts";
import type { Runs } from "./index.ts";
import { latestOnly } from "./latest-only.ts";
import { type MaskedLog, maskedLog } from "./masking/masked-log.ts";
import {
  maxOpenPermissions,
  maxPermissionsOfRun,
  notAllowed,
  permissionWaitOf,
  presented,
} from "./permission-request.ts";
import { composePrompt } from "./prompt.ts";
import type { Run, RunOutcome } from "./run.ts";
import { runCostOf, usageReports } from "./run-cost.ts";
import { taskKeyOf } from "./task-key.ts";

export interface Conduct {
  readonly runs: Pick<
    Runs,
    | "finish"
    | "noteEvent"
    | "noteProcess"
    | "notePlacement"
    | "noteSession"
    | "noteCost"
    | "askPermission"
    | "finishPermission"
  >;
  readonly views: Pick<Views, "runs">;
  readonly agentRunner: AgentRunner;
  readonly runLogs: RunLogs;
  readonly credentials: Credentials;
  readonly secrets: { readonly resolve: ReturnType<typeof resolveBindings> };
  readonly runners: Pick<Runners, "get">;
  readonly catalogue: SkillCatalogue;
  readonly answers: Answers;
  /** The URL under which agents reach the service. */
  readonly apiUrl: () => string;
  /** The service's own log of failures, without the values of the run. */
  readonly onFailure: (what: string, defect: string) => void;
}

/** Longer than any run may last; the token ends with its run in any case. */
const tokenTtlSec = 48 * 60 * 60;

/** Carries out a claimed run from preparation to end. The run always ends, even after a failure. */
export const conductRun = (deps: Conduct) => (claimed: ClaimedRun, stop: AbortSignal) =>
  Effect.gen(function* () {
    const { run } = claimed;
    const log = maskedLog(yield* deps.runLogs.open(run.companyId, run.id));
    const trouble = troubleOf(deps, log);
    const report: Report = yield* attempt(deps, claimed, log, stop).pipe(
      Effect.catchDefect((defect) =>
        Effect.as(trouble("a run could not be carried out", defect), { outcome: "service_failed" as const }),
      ),
    );
    yield* log
      .close()
      .pipe(Effect.catchDefect((defect) => trouble("the end of a run's log could not be stored", defect)));
    yield* retryAfterDefect(deps.runs.finish({ ...log.masked(report), run, lastOutput: log.tail() }));
  });

/** A defect may contain anything, including the run's values. */
const troubleOf = (deps: Conduct, log: MaskedLog) => (what: string, defect: unknown) =>
  Effect.sync(() => deps.onFailure(what, log.masked(String(defect))));

/**
 * Retries for a minute, through a restart of the database. A write whose answer was lost is repeated, which changes
 * nothing more; only an event may then be stored twice.
 */
const retryAfterDefect = <A>(what: Effect.Effect<A>): Effect.Effect<A> =>
  what.pipe(
    Effect.catchDefect((defect) => Effect.fail({ defect })),
    Effect.retry({ schedule: Schedule.spaced("500 millis"), times: 119 }),
    Effect.catch(({ defect }) => Effect.die(defect)),
  );

type Report = Omit<FinishRun, "run" | "lastOutput">;

const failed = (errorCode: string, errorMessage: string): Report => ({
  outcome: { exitCode: null, signal: null, timedOut: false, errorCode, errorMessage },
});

const attempt = Effect.fnUntraced(function* (
  deps: Conduct,
  claimed: ClaimedRun,
  log: MaskedLog,
  stop: AbortSignal,
) {
  const { run, agent } = claimed;
  const configured = agent.adapterConfig.cwd;
  const runner = deps.runners.get(claimed.runner);
  if (runner === null) return yield* Effect.die(new Error(`There is no runner ${claimed.runner}.`));
  const [task, workspace] = yield* Effect.all(
    [
      retryAfterDefect(deps.views.runs.task(run.id)),
      retryAfterDefect(
        Effect.result(runner.workspaces.prepare(agent, typeof configured === "string" ? configured : null)),
      ),
    ],
    { concurrency: "unbounded" },
  );
  if (workspace._tag === "Failure") return failed("workspace_unusable", workspace.failure.message);
  const token = yield* deps.credentials.mintRunToken(
    { agentId: agent.id, companyId: run.companyId, runId: run.id },
    tokenTtlSec,
  );
  const bound = yield* retryAfterDefect(Effect.result(fillBindings(deps.secrets, claimed)));
  if (bound._tag === "Failure") return failed(bound.failure.errorCode, bound.failure.message);
  const filled = bound.success;
  log.hide([token, ...filled.secretValues]);
  if (filled.unmasked.length > 0)
    yield* warn(deps, run, `Too short to be masked in what the run says: ${filled.unmasked.join(", ")}.`);
  const skills = yield* skillsOfRun(deps, run, filled.config, workspace.success.files);
  const assignment = assignmentOf(deps, claimed, task, {
    workspace: workspace.success,
    token,
    config: filled.config,
    skills,
  });
  const background = backgroundWrites();
  const given = { tools: false };
  const waitSec = permissionWaitOf(filled.config);
  const supervision = supervisionOf(deps, run, { log, stop, background, given, waitSec });
  const at = { processes: runner.processes, workspace: workspace.success };
  const result = yield* deps.agentRunner.execute(run.adapterType, assignment, at, supervision);
  yield* background.stored;
  if (given.tools && !(yield* retryAfterDefect(deps.views.runs.toolsListed(run.id))))
    yield* log.write("system", Buffer.from(withoutTools));
  return reportOf(result);
});

const withoutTools =
  "The program did not connect to the service's tools (POST /mcp): it worked with the HTTP interface alone.\n";

/** Writes that nothing in the run waits for but its end, one after the other. */
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

interface Prepared {
  readonly workspace: Workspace;
  readonly token: string;
  /** With the values of secrets filled in. */
  readonly config: AdapterConfig;
  readonly skills: RunSkills | null;
}

/** The complete context that the adapter gets for the run. */
const assignmentOf = (
  deps: Conduct,
  { run, agent, issue, session }: ClaimedRun,
  task: RunTask,
  { workspace: { cwd, files, user, env }, token, config, skills }: Prepared,
): Assignment => {
  const context: RunContext = {
    issueId: run.issueId,
    wakeReason: run.wakeReason,
    wakeSource: run.invocationSource,
    wakeCommentIds: task.commentIds,
    payload: run.context,
  };
  return {
    runId: run.id,
    agent: {
      id: agent.id,
      companyId: agent.companyId,
      name: agent.name,
      adapterType: run.adapterType,
      adapterConfig: agent.adapterConfig,
    },
    runtime: {
      sessionId: session?.displayId ?? null,
      sessionParams: session?.params ?? null,
      sessionDisplayId: session?.displayId ?? null,
      taskKey: taskKeyOf(run),
    },
    config,
    context,
    prompt: composePrompt(agent, run, task, issue?.checkoutRunId ?? null),
    variables: {
      agentId: agent.id,
      agentName: agent.name,
      companyId: run.companyId,
      runId: run.id,
      taskId: run.issueId ?? "",
      taskTitle: task.issue?.title ?? "",
    },
    env: agentEnvironment({
      base: env,
      apiUrl: deps.apiUrl(),
      token,
      run,
      context,
      decisions: task.decisions,
      cwd,
      config,
    }),
    cwd,
    files,
    ...(user === null ? {} : { user }),
    authToken: token,
    ...(skills === null ? {} : { skills }),
  };
};

interface Means {
  readonly log: MaskedLog;
  readonly stop: AbortSignal;
  readonly background: ReturnType<typeof backgroundWrites>;
  /** Set when the adapter reports it. */
  readonly given: { tools: boolean };
  /** How long people have for an answer. */
  readonly waitSec: number;
}

/** Receives the adapter's reports during the run. Stores only masked text. */
const supervisionOf = (
  deps: Conduct,
  run: Run,
  { log, stop, background, given, waitSec }: Means,
  takenOver = new AbortController(),
): RunSupervision => ({
  stop: AbortSignal.any([stop, takenOver.signal]),
  onOutput: (stream, chunk) => log.write(stream, chunk),
  onMeta: ({ command, args, cwd, notes, tools }) => {
    given.tools ||= tools === true;
    // The program need not wait for it.
    return background.begin(
      retryAfterDefect(
        deps.runs.noteEvent({
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
  onUsage: usageReports(
    (cost) => deps.runs.noteCost(run, log.masked(cost)),
    (defect) => troubleOf(deps, log)("the cost of a run could not be recorded yet", defect),
  ),
  onPermission: permissionsOf(deps, run, { log, stop, waitSec }),
  onStarted: (identity) =>
    Effect.map(retryAfterDefect(deps.runs.noteProcess(run.id, identity)), (isOurs) => {
      if (!isOurs) takenOver.abort();
    }),
  onPlacement: (placement) => retryAfterDefect(deps.runs.notePlacement(run.id, placement)),
  onSession: noteLatestSession(deps, run, log),
});

/** Asks people, with bounds to what a program may ask. */
const permissionsOf = (
  { runs, answers }: Conduct,
  run: Run,
  { log, stop, waitSec }: Pick<Means, "log" | "stop" | "waitSec">,
): RunSupervision["onPermission"] => {
  let asked = 0;
  let open = 0;
  return Effect.fnUntraced(function* (given, over) {
    if (asked >= maxPermissionsOfRun)
      return notAllowed(`The run has asked ${maxPermissionsOfRun} times. It gets no more answers of people.`);
    if (open >= maxOpenPermissions)
      return notAllowed(`${maxOpenPermissions} questions of the run wait already. Ask when one is answered.`);
    const request = presented(log.masked(given));
    if ("refusal" in request) return notAllowed(request.refusal);
    asked += 1;
    open += 1;
    return yield* Effect.gen(function* () {
      const question = yield* retryAfterDefect(runs.askPermission({ run, request, waitSec }));
      if ("allow" in question) return question;
      const ends = AbortSignal.any([stop, over]);
      yield* answers.wait(question.interactionId, waitSec * 1000, ends);
      const otherwise = ends.aborted ? "run_ended" : "unanswered";
      return yield* retryAfterDefect(runs.finishPermission({ run, ...question, otherwise }));
    }).pipe(
      Effect.ensuring(
        Effect.sync(() => {
          open -= 1;
        }),
      ),
    );
  });
};

/** A program may name sessions faster than they can be stored. */
const noteLatestSession = ({ runs }: Conduct, run: Run, log: MaskedLog): RunSupervision["onSession"] => {
  const note = latestOnly((session: Parameters<Runs["noteSession"]>[1]) =>
    retryAfterDefect(runs.noteSession(run, log.masked(session))),
  );
  return (params, displayId) => note({ params, displayId });
};

/** Adds an event to the run's story that names its missing skills. */
const warn = ({ runs }: Conduct, { id: runId, companyId }: Run, message: string) =>
  retryAfterDefect(runs.noteEvent({ companyId, runId, type: "lifecycle", level: "warn", message }));

/** Returns null for a run without skills. A skill that no longer exists does not stop the run. */
const skillsOfRun = Effect.fnUntraced(function* (
  deps: Conduct,
  run: Run,
  config: AdapterConfig,
  folder: string,
) {
  const { catalogue } = deps;
  const desired = desiredSkillsOf(config);
  if (desired.length === 0) return null;
  const { offered } = yield* catalogue.read();
  const wanted = offered.filter(({ key }) => desired.includes(key));
  const missing = desired.filter((key) => !wanted.some((skill) => skill.key === key));
  if (missing.length > 0)
    yield* warn(deps, run, `Not on offer, so that the run goes without: skill ${missing.join(", ")}.`);
  const assigned: RunSkills = { wanted, folder };
  return assigned;
});

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
