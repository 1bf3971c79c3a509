import * as Effect from "effect/Effect";
import type { RunContext, RunSkills } from "../../ports/agent-adapter.ts";
import type { Assignment } from "../../ports/agent-runner.ts";
import type { RunTask } from "../../ports/views/run-views.ts";
import type { Workspace } from "../../ports/workspaces.ts";
import { type AdapterConfig, desiredSkillsOf } from "../agents/agent-config.ts";
import { agentEnvironment } from "./agent-environment.ts";
import type { ClaimedRun } from "./claim-runs.ts";
import { fillBindings } from "./fill-bindings.ts";
import { type MaskedLog, maskedLog } from "./masking/masked-log.ts";
import { composePrompt } from "./prompt.ts";
import type { Run } from "./run.ts";
import {
  type Conduct,
  execute,
  type Kept,
  meansOf,
  type Report,
  retryAfterDefect,
  toItsEnd,
} from "./run-supervision.ts";
import { taskKeyOf } from "./task-key.ts";

/** Longer than any run may last; the token ends with its run in any case. */
const tokenTtlSec = 48 * 60 * 60;

/** Carries out a claimed run from preparation to end. The run always ends, even after a failure. */
export const conductRun = (deps: Conduct) => (claimed: ClaimedRun, stop: AbortSignal) =>
  Effect.gen(function* () {
    const { run } = claimed;
    const log = maskedLog(yield* deps.runLogs.open(run.companyId, run.id));
    yield* toItsEnd(deps, run, log, attempt(deps, claimed, log, stop));
  });

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
  const values = [token, ...filled.secretValues];
  log.hide(values);
  if (filled.unmasked.length > 0)
    yield* warn(deps, run, `Too short to be masked in what the run says: ${filled.unmasked.join(", ")}.`);
  const skills = yield* skillsOfRun(deps, run, filled.config, workspace.success.files);
  const assignment = assignmentOf(deps, claimed, task, {
    workspace: workspace.success,
    token,
    config: filled.config,
    skills,
  });
  const at = { processes: runner.processes, workspace: workspace.success };
  const kept: Kept = { assignment, workspace: workspace.success, values };
  const mayOutlive = deps.processes.handover !== null;
  const means = meansOf({ log, stop }, assignment, mayOutlive ? JSON.stringify(kept) : null);
  return yield* execute(deps, run, assignment, at, means);
});

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
