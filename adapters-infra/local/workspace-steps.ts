import { join } from "node:path";
import * as Effect from "effect/Effect";
import { serviceAuthor } from "../../core/model/repositories/authorship.ts";
import { failureReason } from "../../core/model/runs/failure-reason.ts";
import { clause } from "../../core/model/shared/sentence.ts";
import { type LeftOut, type LeftOutReason, leftOutReasons } from "../../core/model/workspaces/run-work.ts";
import type { ProcessOutcome } from "../../ports/agent-adapter.ts";
import {
  type CapturedWork,
  type CaptureOrder,
  type CloneOrder,
  type CommandOrder,
  type CommandOutcome,
  type IssueWorkspaces,
  type MergedWork,
  type StoreAddress,
  type WorkspaceStep,
  WorkspaceStepFailed,
} from "../../ports/issue-workspaces.ts";
import type { ProcessRunner } from "../../ports/process-runner.ts";
import { captureScript } from "./capture-script.ts";
import { continueClone, staysThere } from "./continue-clone.ts";
import { checkClone, makeClone, noClone } from "./make-clone.ts";

/**
 * The limit of a capture allows for some gigabytes without an index: what is not captured in time is not captured at
 * all.
 */
const limitSec = { make: 900, check: 60, continueFrom: 600, keep: 600 };
/** Of programs that a killed service left. */
const leftGraceSec = 2;

/** The steps in workspaces, the same on every runner. `borrowsObjects`: its programs see the objects of the shared store. */
export const workspaceSteps = (
  processes: ProcessRunner,
  { borrowsObjects }: { readonly borrowsObjects: boolean },
): Pick<IssueWorkspaces, "make" | "check" | "continueFrom" | "keep" | "command" | "endOrphanSteps"> => {
  const objectsOf = ({ sharedObjects }: StoreAddress) => (borrowsObjects ? sharedObjects : "");
  const run = (step: WorkspaceStep, what: Script) =>
    runScript(processes, step, { ...what, order: { ...what.order, sharedObjects: objectsOf(what.order) } });
  return {
    endOrphanSteps: (runId) => processes.endOrphans(runId, null, leftGraceSec),
    make: Effect.fnUntraced(function* (step, order) {
      const { from } = order;
      const outcome = yield* run(step, {
        script: makeClone,
        args: [
          order.directory ?? ".",
          objectsOf(order),
          order.url,
          order.branch,
          order.baseBranch,
          order.baseCommit,
          ...(from === null ? [] : [from.runId, from.head, from.files]),
        ],
        order,
        limitSec: limitSec.make,
      });
      if (outcome.exitCode !== 0) return yield* Effect.fail(failure("The workspace cannot be made", outcome));
    }),
    check: Effect.fnUntraced(function* (step, order: CloneOrder) {
      const outcome = yield* run(step, {
        script: checkClone,
        args: [order.directory ?? ".", objectsOf(order), order.url],
        order,
        limitSec: limitSec.check,
      });
      if (outcome.exitCode === 0) return true;
      if (outcome.exitCode === noClone) return false;
      return yield* Effect.fail(failure("The workspace cannot be checked", outcome));
    }),
    continueFrom: continueFrom(run),
    keep: Effect.fnUntraced(function* (step, order) {
      const attempt = (how: "whole" | "files") =>
        run(step, {
          script: captureScript,
          args: [
            order.runId,
            order.standIn,
            `${order.url}/kept`,
            order.directory ?? ".",
            how,
            ...order.outsideOf,
          ],
          order,
          limitSec: limitSec.keep,
        });
      const whole = yield* attempt("whole");
      if (whole.exitCode === 0) return readCaptured(whole.lines, null);
      // An unreadable git directory must not hold back its files.
      const files = yield* attempt("files");
      if (files.exitCode === 0) return readCaptured(files.lines, "unreadable");
      return yield* Effect.fail(failure("The work cannot be kept", files));
    }),
    command: (step, order) => runCommand(processes, step, order),
  };
};

type RunStep = (step: WorkspaceStep, what: Script) => Effect.Effect<ProcessOutcome & StepOutput>;

const continueFrom = (run: RunStep) =>
  Effect.fnUntraced(function* (
    step: WorkspaceStep,
    order: CloneOrder,
    { fromCommit, commit, defaultBranch }: MergedWork,
  ) {
    const { directory, url, branch } = order;
    const outcome = yield* run(step, {
      script: continueClone,
      args: [directory ?? ".", url, branch, defaultBranch, fromCommit, commit],
      order,
      limitSec: limitSec.continueFrom,
    });
    if (outcome.exitCode === 0) return true;
    if (outcome.exitCode === staysThere) return false;
    return yield* Effect.fail(failure("The workspace can't continue from the merge", outcome));
  });

/** Next to the work: for steps, and for settings of git. */
export const scratchOf = (work: string) => join(work, "..", "scratch");

interface Script {
  readonly script: string;
  readonly args: readonly string[];
  readonly order: CaptureOrder | CloneOrder;
  readonly limitSec: number;
}

/** Settings of git by its environment, so that the token is in no argument and in no file. */
const authorized = ({ url, token }: Pick<StoreAddress, "url" | "token">) => ({
  GIT_CONFIG_COUNT: "2",
  GIT_CONFIG_KEY_0: `http.${url}/.extraHeader`,
  GIT_CONFIG_VALUE_0: `Authorization: Bearer ${token}`,
  GIT_CONFIG_KEY_1: "http.followRedirects",
  GIT_CONFIG_VALUE_1: "false",
});

/** No setting of a step: agents write to their homes. The sandbox would refuse a missing folder in the environment. */
const withoutHome = "export HOME=/nonexistent XDG_CONFIG_HOME=/nonexistent\n";

const runScript = (
  processes: ProcessRunner,
  { runId, workspace, stop, onOutput }: WorkspaceStep,
  { script, args, order, limitSec }: Script,
) =>
  Effect.suspend(() => {
    const lines: string[] = [];
    return processes
      .run(
        {
          command: "/bin/sh",
          args: ["-c", `${withoutHome}${script}`, "sh", ...args],
          timeoutSec: limitSec,
          graceSec: 2,
          onStdoutLine: (line) => {
            if (lines.length < 1_000) lines.push(line.slice(0, 5_000));
            return undefined;
          },
        },
        {
          runId,
          workspace,
          env: {
            ...workspace.env,
            SERVICE_RUN_ID: runId,
            PATH: "/usr/local/bin:/usr/bin:/bin",
            LC_ALL: "C",
            GIT_CONFIG_NOSYSTEM: "1",
            GIT_CONFIG_GLOBAL: "/dev/null",
            GIT_ATTR_NOSYSTEM: "1",
            GIT_TERMINAL_PROMPT: "0",
            GIT_ASKPASS: "/bin/false",
            GIT_SSH_COMMAND: "/bin/false",
            GIT_NO_LAZY_FETCH: "1",
            GIT_NO_REPLACE_OBJECTS: "1",
            GIT_CEILING_DIRECTORIES: join(workspace.cwd, ".."),
            GIT_AUTHOR_NAME: serviceAuthor.name,
            GIT_AUTHOR_EMAIL: serviceAuthor.email,
            GIT_COMMITTER_NAME: serviceAuthor.name,
            GIT_COMMITTER_EMAIL: serviceAuthor.email,
            SHARED_OBJECTS: order.sharedObjects,
            SCRATCH: scratchOf(workspace.cwd),
            SPARSE: (order.sparseFolders ?? []).join("\n"),
            ...("author" in order
              ? { AUTHOR_NAME: order.author.name, AUTHOR_EMAIL: order.author.email, ...sourcesOf(order) }
              : {}),
            TRAILERS: order.trailers.join("\n"),
            ...authorized(order),
          },
          stop,
          onStarted: () => Effect.void,
          onOutput: (stream, chunk) =>
            stream === "stdout" ? Effect.void : onOutput(Buffer.from(chunk).toString()),
        },
      )
      .pipe(Effect.map((outcome): ProcessOutcome & StepOutput => ({ ...outcome, lines })));
  });

const sourcesOf = ({ sources }: CloneOrder) => ({
  HOST_URL: sources?.hostUrl ?? "",
  PROJECT_URLS: (sources?.stores ?? []).map(({ hostUrl, url }) => `${hostUrl} ${url}`).join("\n"),
});

interface StepOutput {
  readonly lines: readonly string[];
}

const runCommand = (
  processes: ProcessRunner,
  { runId, workspace, stop, onOutput }: WorkspaceStep,
  { command, directory, onChange = false, env = {}, timeoutSec }: CommandOrder,
) =>
  Effect.suspend(() => {
    const from = performance.now();
    const text = { stdout: new TextDecoder(), stderr: new TextDecoder(), system: new TextDecoder() };
    return processes
      .run(
        {
          command: "/bin/sh",
          args: [
            "-c",
            onChange ? whenChanged : always,
            "sh",
            directory ?? ".",
            command,
            scratchOf(workspace.cwd),
          ],
          timeoutSec,
          graceSec: 5,
        },
        {
          runId,
          workspace,
          env: { ...workspace.env, GIT_TERMINAL_PROMPT: "0", CI: "true", ...env, SERVICE_RUN_ID: runId },
          stop,
          onStarted: () => Effect.void,
          onOutput: (stream, chunk) => onOutput(text[stream].decode(chunk, { stream: true })),
        },
      )
      .pipe(
        Effect.map((outcome): CommandOutcome => {
          const isUnchanged = onChange && hasEnded(outcome) && outcome.exitCode === unchanged;
          const isDone = isUnchanged || (hasEnded(outcome) && outcome.exitCode === 0);
          return {
            exitCode: hasEnded(outcome) ? outcome.exitCode : null,
            problem: isDone ? null : whyItFailed(outcome),
            durationMs: Math.round(performance.now() - from),
            isUnchanged,
          };
        }),
      );
  });

const failure = (what: string, outcome: ProcessOutcome) => {
  const reason = failureReason(outcome.stderrTail)
    .replace(/\p{Cc}/gu, " ")
    .slice(0, 300);
  const why = hasEnded(outcome) && reason !== "" ? `${clause(reason)}.` : whyItFailed(outcome);
  return new WorkspaceStepFailed(`${what}: ${why}`);
};

/** Exit code of `whenChanged`: nothing has changed. */
const unchanged = 93;

/** Arguments of both: folder, command, folder of the notes. */
const always = 'cd -- "$1" && exec /bin/sh -c "$2"';

/**
 * Carries out a command unless it has succeeded in this clone with the same lock files. Where it notes that is the agents'
 * own folder, which goes with the workspace: an agent that changes it changes only its own workspace.
 */
const whenChanged = `
cd -- "$1" || exit 1
note=$3/setup-$(printf '%s' "$1" | cksum | tr ' ' -)
# Git opens no repository for it: the index alone is read, and no setting of agents.
files() {
  none=$(mktemp -d) && env -i PATH=/usr/bin:/bin GIT_CONFIG_NOSYSTEM=1 git init -q --bare --template= "$none" || return 1
  [ ! -f .git/index ] || timeout -k 1 20 head -c 1073741824 .git/index >"$none/index"
  env -i PATH=/usr/bin:/bin GIT_CONFIG_NOSYSTEM=1 GIT_DIR="$none" GIT_WORK_TREE="$PWD" git ls-files -z -- "$@"
  rm -rf "$none"
}
key=$({ printf '%s\\n' "$2"; files '*.lock' '*lock.json' '*lock.yaml' '*.lockb' '*go.sum' '*requirements.txt' '*package.json' | xargs -0 -r cksum; } 2>/dev/null | cksum)
[ "$(cat "$note" 2>/dev/null)" != "$key" ] || exit ${unchanged}
/bin/sh -c "$2"
code=$?
[ $code != 0 ] || printf '%s' "$key" >"$note"
[ $code != ${unchanged} ] || code=1
exit $code
`;

/** By itself. */
const hasEnded = ({ startError, stopped, timedOut, overMemory, overDisk }: ProcessOutcome) =>
  startError === undefined && !stopped && !timedOut && !overMemory && !overDisk;

const whyItFailed = (outcome: ProcessOutcome): string => {
  const { startError, stopped, timedOut, overMemory, overDisk, exitCode } = outcome;
  if (startError !== undefined) return `${clause(startError)}.`;
  if (overMemory) return "it needed more memory than a run may use.";
  if (overDisk) return "it wrote more than a run may add to the disk.";
  if (stopped) return "it was stopped.";
  if (timedOut) return "it took longer than its time limit.";
  return `the program ended with ${exitCode ?? "a signal"}.`;
};

const isReason = (word: string): word is LeftOutReason =>
  (leftOutReasons as readonly string[]).includes(word);

const readCaptured = (lines: readonly string[], state: string | null): CapturedWork => {
  const fieldOf = (name: string) => lines.find((line) => line.startsWith(`${name} `))?.slice(name.length + 1);
  const leftOut = lines.flatMap((line): LeftOut[] => {
    const [, reason = "", path = ""] = /^left (\S+) (.*)$/.exec(line) ?? [];
    return isReason(reason) ? [{ path: plain(path, 1_000), reason }] : [];
  });
  const branch = fieldOf("branch");
  const stateOutput = fieldOf("state");
  const kib = Number(fieldOf("kib") ?? Number.NaN);
  return {
    branch: branch === undefined ? null : plain(branch, 300),
    bytes: Number.isSafeInteger(kib) && kib >= 0 ? kib * 1_024 : null,
    hasHead: fieldOf("head") === "own",
    state: stateOutput === undefined ? state : plain(stateOutput, 50),
    leftOut,
  };
};

const plain = (text: string, length: number): string =>
  text
    .replace(/\p{Cc}/gu, "?")
    .slice(0, length)
    .toWellFormed();
