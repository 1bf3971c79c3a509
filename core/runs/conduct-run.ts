import * as Effect from "effect/Effect";
import type { RunContext, RunSkills } from "../../ports/agent-adapter.ts";
import type { Assignment } from "../../ports/agent-runner.ts";
import type { Runner } from "../../ports/runners.ts";
import type { RunTask } from "../../ports/views/run-views.ts";
import type { Workspace, WorkspaceUnusable } from "../../ports/workspaces.ts";
import { currentTraceparent } from "../access/current-traceparent.ts";
import { spanned } from "../access/unit-of-work.ts";
import type { WorkspaceNotReady } from "../code/workspaces/prepare-workspace.ts";
import { portVariables } from "../code/workspaces/run-commands.ts";
import { type AdapterConfig, desiredSkillsOf } from "../model/agents/agent-config.ts";
import { isAskedFor, type ResumedMessage, textOfMessage } from "../model/runs/messages/run-message.ts";
import type { Run } from "../model/runs/run.ts";
import { taskKeyOf } from "../model/runs/task-key.ts";
import { withGit } from "../model/runs/with-git.ts";
import { agentEnvironment, ownVariables } from "./agent-environment.ts";
import type { ClaimedRun } from "./claim-runs.ts";
import { fillBindings } from "./fill-bindings.ts";
import { type MaskedLog, maskedLog } from "./masking/masked-log.ts";
import { type FilledServers, mcpServersOfRun } from "./mcp-servers-of-run.ts";
import { composePrompt } from "./prompt.ts";
import { retryAfterDefect } from "./retry-after-defect.ts";
import {
  type Conduct,
  execute,
  type HandoverState,
  type Report,
  runIoOf,
  toItsEnd,
} from "./run-supervision.ts";

/** Longer than any run may last; the token ends with its run in any case. */
const tokenTtlSec = 48 * 60 * 60;

/** Carries out a claimed run from preparation to end. The run always ends, even after a failure. */
export const conductRun = (deps: Conduct) => (claimed: ClaimedRun, stop: AbortSignal) =>
  Effect.gen(function* () {
    const { run } = claimed;
    const log = maskedLog(yield* deps.runLogs.open(run.companyId, run.id));
    yield* toItsEnd(deps, run, log, attempt(deps, claimed, log, stop), claimed.code !== null);
  });

const failed = (errorCode: string, errorMessage: string): Report => ({
  outcome: { exitCode: null, signal: null, timedOut: false, errorCode, errorMessage },
});

const attempt = (deps: Conduct, claimed: ClaimedRun, log: MaskedLog, stop: AbortSignal) =>
  Effect.gen(function* () {
    const traceparent = yield* currentTraceparent;
    const ready = yield* spanned(deps, "run.prepare", prepare(deps, claimed, { log, stop, traceparent }));
    if ("outcome" in ready) return ready;
    return yield* execute(deps, claimed.run, ready.assignment, ready.at, ready.io);
  });

interface PrepareIo {
  readonly log: MaskedLog;
  readonly stop: AbortSignal;
  /** The trace of the run; null where it is not traced. */
  readonly traceparent: string | null;
}

/** From the claim to the start of the program; returns the report of a run that cannot start. */
const prepare = Effect.fnUntraced(function* (
  deps: Conduct,
  claimed: ClaimedRun,
  { log, stop, traceparent }: PrepareIo,
) {
  const { run, agent } = claimed;
  const runner = deps.runners.get(claimed.runner);
  if (runner === null) return yield* Effect.die(new Error(`Runner ${claimed.runner} not found.`));
  const token = yield* deps.credentials.mintRunToken(
    { agentId: agent.id, companyId: run.companyId, runId: run.id },
    tokenTtlSec,
  );
  log.hide([token]);
  const [task, bound] = yield* Effect.all(
    [
      retryAfterDefect(deps.views.runs.task(run.id)),
      retryAfterDefect(Effect.result(fillBindings(deps.secrets, claimed))),
    ],
    { concurrency: "unbounded" },
  );
  if (bound._tag === "Failure") return failed(bound.failure.errorCode, bound.failure.message);
  const filled = bound.success;
  // Before commands of repositories print them.
  log.hide(filled.secretValues);
  const workspace = yield* retryAfterDefect(
    Effect.result(workspaceOf(deps, claimed, runner, { token, log, stop, config: filled.config })),
  );
  if (workspace._tag === "Failure") {
    const { failure } = workspace;
    return failed("errorCode" in failure ? failure.errorCode : "workspace_unusable", failure.message);
  }
  const mcp = yield* retryAfterDefect(mcpServersOfRun(deps, claimed));
  log.hide(mcp.secretValues);
  const unmasked = [...filled.unmasked, ...mcp.unmasked];
  if (unmasked.length > 0)
    yield* warn(deps, run, `Too short to be masked in the run's output: ${unmasked.join(", ")}.`);
  for (const sentence of mcp.leftOut) yield* warn(deps, run, sentence);
  const resumed = task.hasMessages ? yield* retryAfterDefect(deps.runs.takeUpMessages(run)) : [];
  const skills = yield* skillsOfRun(deps, run, filled.config, workspace.success.files);
  const assignment = assignmentOf(deps, claimed, task, {
    workspace: workspace.success,
    token,
    config: filled.config,
    skills,
    mcp,
    resumed,
    traceparent,
  });
  const at = { processes: runner.processes, workspace: workspace.success };
  const values = [token, ...filled.secretValues, ...mcp.secretValues];
  const handoverState: HandoverState = { assignment, workspace: workspace.success, values };
  const io = runIoOf(
    { log, stop },
    assignment,
    runner.processes.mayOutlive ? JSON.stringify(handoverState) : null,
  );
  return { assignment, at, io };
});

interface WorkspaceIo {
  readonly token: string;
  readonly log: MaskedLog;
  readonly stop: AbortSignal;
  /** With the values of secrets filled in. */
  readonly config: AdapterConfig;
}

/** The workspace of the run's issue, or the folder of its agent. */
const workspaceOf = (
  { issueWorkspaces }: Conduct,
  { run, agent, code }: ClaimedRun,
  runner: Runner,
  { token, log, stop, config }: WorkspaceIo,
): Effect.Effect<Workspace, WorkspaceUnusable | WorkspaceNotReady> => {
  const configured = agent.adapterConfig.cwd;
  if (code === null)
    return runner.workspaces.prepare(agent, typeof configured === "string" ? configured : null);
  const onOutput = (text: string) => log.write("system", Buffer.from(text));
  return issueWorkspaces.prepare({
    run,
    agent,
    code,
    issueWorkspaces: runner.issueWorkspaces ?? null,
    token,
    env: ownVariables(config),
    stop,
    masked: (text) => log.masked(text),
    onOutput,
  });
};

interface Prepared {
  readonly workspace: Workspace;
  readonly token: string;
  /** With the values of secrets filled in. */
  readonly config: AdapterConfig;
  readonly skills: RunSkills | null;
  readonly mcp: FilledServers;
  readonly traceparent: string | null;
  /** Messages of people that earlier runs left. */
  readonly resumed: readonly ResumedMessage[];
}

/** The variables of prompts. */
const variablesOf = ({ run, agent }: ClaimedRun, task: RunTask): Assignment["variables"] => ({
  agentId: agent.id,
  agentName: agent.name,
  companyId: run.companyId,
  runId: run.id,
  taskId: run.issueId ?? "",
  taskTitle: task.issue?.title ?? "",
});

/** The complete context that the adapter gets for the run. */
const assignmentOf = (
  deps: Conduct,
  claimed: ClaimedRun,
  task: RunTask,
  {
    workspace: { cwd, agentFolder = cwd, files, user, env },
    token,
    config,
    skills,
    mcp,
    resumed,
    traceparent,
  }: Prepared,
): Assignment => {
  const { run, agent, issue, session, code } = claimed;
  const apiUrl = deps.apiUrl();
  const again = resumed.filter(isAskedFor);
  // A comment that no program has is in the task already.
  const inPrompt = resumed.filter(
    (message) => !isAskedFor(message) && (message.mayBeRepeated || message.commentId === null),
  );
  const delivered = [...again, ...inPrompt];
  const comments = task.comments.filter(({ id }) => !delivered.some(({ commentId }) => commentId === id));
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
    prompt: composePrompt(agent, run, { ...task, comments }, issue?.checkoutRunId ?? null, inPrompt),
    variables: variablesOf(claimed, task),
    env: {
      ...withGit(
        agentEnvironment({
          base: env,
          apiUrl,
          token,
          run,
          context,
          decisions: task.decisions,
          traceparent,
          cwd: agentFolder,
          config,
        }),
        code === null ? null : { apiUrl, token },
      ),
      ...(code?.workspace == null ? {} : portVariables(code.workspace)),
      ...mcp.env,
    },
    cwd,
    files,
    ...(user === null ? {} : { user }),
    authToken: token,
    ...(task.houseRules.trim() === "" ? {} : { houseRules: task.houseRules }),
    ...(skills === null ? {} : { skills }),
    ...(mcp.servers.length === 0 ? {} : { mcpServers: mcp.servers }),
    ...(again.length === 0
      ? {}
      : { messagesAgain: again.map((message) => ({ id: message.id, text: textOfMessage(message) })) }),
  };
};

/** Adds an event to the run's story that names its missing skills. */
const warn = ({ runs }: Conduct, { id: runId, companyId }: Run, message: string) =>
  retryAfterDefect(runs.recordEvent({ companyId, runId, type: "lifecycle", level: "warn", message }));

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
    yield* warn(deps, run, `Not available, so the run starts without it: skill ${missing.join(", ")}.`);
  const assigned: RunSkills = { wanted, folder };
  return assigned;
});
