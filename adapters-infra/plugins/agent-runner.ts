import * as Effect from "effect/Effect";
import { isServiceVariable } from "../../core/model/agents/service-variables.ts";
import { failureReason } from "../../core/model/runs/failure-reason.ts";
import type { CompanyId } from "../../core/model/shared/ids.ts";
import { asSentence, clause } from "../../core/model/shared/sentence.ts";
import type { AdapterRegistry, LoadedAdapter } from "../../ports/adapter-registry.ts";
import type { ExecuteResult, LogStream, ProcessOutcome } from "../../ports/agent-adapter.ts";
import type { AgentRunner, Assignment, RunnerContext, RunSupervision } from "../../ports/agent-runner.ts";
import type { ProcessRunner, ProgramSpec } from "../../ports/process-runner.ts";
import type { Workspace, Workspaces } from "../../ports/workspaces.ts";
import { leftOut, readLimits, readMeta, readPermission, readResult, readUsage } from "./execute-result.ts";
import { limitOf } from "./limit-met.ts";
import { personWaits } from "./person-waits.ts";
import { messageOf } from "./plain-text.ts";
import { readText } from "./read-text.ts";
import { type SessionKeeper, sessionKeeper } from "./session-keeper.ts";

const failed = (errorCode: string, errorMessage: string): ExecuteResult => ({
  exitCode: null,
  timedOut: false,
  errorCode,
  errorMessage,
});

const streams: readonly LogStream[] = ["stdout", "stderr", "system"];

/** Passes a run to its adapter, a promise API, and gives it the service's functions. */
export const agentRunner = (adapters: AdapterRegistry, local: LocalMachine): AgentRunner => ({
  execute: (adapterType, assignment, at, supervision) =>
    Effect.gen(function* () {
      const loaded = adapters.loaded().get(adapterType);
      if (loaded === undefined)
        return failed("adapter_unavailable", `No adapter of type ${adapterType} is loaded in this service.`);
      const silenceSec = assignment.config.silenceSec ?? null;
      if (silenceSec !== null && !isSeconds(silenceSec))
        return failed(
          "configuration_incomplete",
          "adapterConfig.silenceSec must be a number of seconds above 0. Leave it out for no limit on silence.",
        );
      // The adapter's promises call back into effects; they run as part of this one and end with it.
      const runPromise = Effect.runPromiseWith(yield* Effect.context<never>());
      const ours: unknown[] = [];
      const withDefects = <A>(effect: Effect.Effect<A>) =>
        Effect.tapDefect(effect, (defect) => Effect.sync(() => void ours.push(defect)));
      const prompt: PromptSigns = { hasSession: false, keepsSessions: true };
      const tracked = trackPrograms(at, assignment, continuable(supervision, loaded), silenceSec, (effect) =>
        runPromise(withDefects(effect)),
      );
      const answered = yield* Effect.gen(function* () {
        const here = yield* hostWorkspace(local, at, assignment);
        const { adapter, sessionCodec } = yield* loaded.open({
          runId: assignment.runId,
          workspace: here,
          env: knownAddress(assignment.env),
          graceSec: isSeconds(assignment.config.graceSec) ? assignment.config.graceSec : defaultGraceSec,
          stop: supervision.stop,
          onStarted: (identity) => withDefects(supervision.onStarted(identity)),
        });
        const sessions = sessionKeeper(sessionCodec);
        prompt.keepsSessions = sessionCodec !== null;
        const runtime = yield* Effect.promise(() => sessions.restored(assignment.runtime));
        const answer = yield* Effect.tryPromise({
          try: (interrupted) =>
            adapter.execute({
              ...assignment,
              config: { ...assignment.config, cwd: assignment.cwd },
              runtime,
              signal: AbortSignal.any([supervision.stop, interrupted, tracked.over]),
              ...heard(
                assignment,
                {
                  ...supervision,
                  onSession: (...session) => {
                    prompt.hasSession = true;
                    return supervision.onSession(...session);
                  },
                },
                sessions,
                (effect) => runPromise(withDefects(effect)),
              ),
              askPermission: async (value: unknown) =>
                tracked.whileWaiting(
                  runPromise(withDefects(supervision.onPermission(validPermission(value), tracked.over))),
                ),
              ...messageFunctions(supervision, tracked.over, (effect) => runPromise(withDefects(effect))),
              ...outliving(supervision, loaded),
              runProcess: tracked.runProcess,
              readText: tracked.readText(local.processes, here),
            }),
          catch: (error) => error,
        }).pipe(
          // No program outlives its adapter's answer or its host.
          Effect.ensuring(Effect.promise(tracked.end)),
        );
        return yield* validated(answer, sessions, supervision);
      }).pipe(
        Effect.scoped,
        Effect.catch((error) =>
          Effect.succeed(failed("adapter_failed", `The adapter failed: ${messageOf(error)}`)),
        ),
      );
      // A failure of the service is no failure of the adapter.
      if (ours.length > 0) return yield* Effect.die(ours[0]);
      return concluded(answered, hasPrompt(answered, prompt, tracked), tracked);
    }),
});

/** Signs that the agent has its prompt. */
interface PromptSigns {
  hasSession: boolean;
  keepsSessions: boolean;
}

const hasPrompt = (answered: ExecuteResult, prompt: PromptSigns, tracked: TrackedPrograms): boolean =>
  answered.prompted === true ||
  prompt.hasSession ||
  answered.sessionParams !== undefined ||
  answered.clearSession === true ||
  (!prompt.keepsSessions && tracked.hasStarted());

/**
 * The result with what the adapter cannot know: a limit that a program met, hidden files, and silence; and with the
 * program's reason where the adapter reports none.
 */
const concluded = (answered: ExecuteResult, prompted: boolean, tracked: TrackedPrograms): ExecuteResult => {
  const reason = tracked.reason();
  const reported = {
    ...answered,
    ...(answered.errorMessage === undefined && isFailure(answered) && reason !== ""
      ? { errorMessage: `${clause(reason)} (${answered.signal ?? `exit code ${answered.exitCode}`}).` }
      : {}),
    prompted,
  };
  const limit = tracked.limitMet();
  if (limit !== null) return { ...reported, timedOut: false, ...limit };
  const missed = tracked.missed();
  if (missed.length > 0 && isFailure(reported))
    return { ...reported, errorMessage: [errorSentence(reported), ...missed].join(" ") };
  const silent = tracked.silentForSec();
  if (silent === null) return reported;
  const ended = `The program was ended after ${silent} seconds without output (silenceSec).`;
  // The program waited for a quota that its last words name.
  return reported.errorFamily === "provider_quota"
    ? { ...reported, timedOut: false, errorMessage: `${errorSentence(reported)} ${ended}` }
    : { ...reported, timedOut: false, errorCode: "output_silence", errorMessage: ended };
};

/** The code of another's package does not outlive the service, and may have done more than start programs. */
const continuable = (
  { handoverState, ...supervision }: RunSupervision,
  { source }: LoadedAdapter,
): RunSupervision =>
  source === "builtin" && handoverState !== undefined ? { ...supervision, handoverState } : supervision;

const outliving = (supervision: RunSupervision, loaded: LoadedAdapter): { mayOutlive?: true } =>
  continuable(supervision, loaded).handoverState === undefined ? {} : { mayOutlive: true };

const isFailure = ({ exitCode, errorMessage, timedOut }: ExecuteResult): boolean =>
  !timedOut && (errorMessage !== undefined || exitCode !== 0);

const errorSentence = ({ errorMessage, exitCode }: ExecuteResult): string => {
  return asSentence(errorMessage ?? `The program ended with exit code ${exitCode}.`);
};

/** Default for an external adapter whose agent configures none. */
const defaultGraceSec = 10;

/** The machine of the service, where the hosts of external adapters run wherever their programs do. */
export interface LocalMachine {
  readonly processes: ProcessRunner;
  readonly workspaces: Workspaces;
}

const hostWorkspace = ({ processes, workspaces }: LocalMachine, at: RunnerContext, { agent }: Assignment) =>
  at.processes === processes
    ? Effect.succeed(at.workspace)
    : workspaces.temporary(agent.companyId as CompanyId);

/** The variables of a run's program: an adapter can change all but the service's. */
const environmentOf = ({ env: own }: Assignment, { env = {}, unsetEnv = [] }: ProgramSpec) => {
  const added = Object.entries(env).filter(([name]) => !isServiceVariable(name));
  const whole: Record<string, string> = { ...own, ...Object.fromEntries(added) };
  for (const name of unsetEnv) if (!isServiceVariable(name)) delete whole[name];
  return whole;
};

const isPath = (path: unknown): path is string =>
  typeof path === "string" && path !== "" && !path.includes("\0");

type TrackedPrograms = ReturnType<typeof trackPrograms>;

/** Runs the programs of an adapter. */
const trackPrograms = (
  { processes, workspace }: RunnerContext,
  assignment: Assignment,
  supervision: RunSupervision,
  silenceSec: number | null,
  run: <A>(effect: Effect.Effect<A>) => Promise<A>,
) => {
  const over = new AbortController();
  const stop = AbortSignal.any([supervision.stop, over.signal]);
  const programs = new Set<Promise<unknown>>();
  const awaited = <A>(program: Promise<A>) => {
    programs.add(program);
    return program;
  };
  const waits = personWaits();
  let silentForSec: number | null = null;
  const outcomes: ProcessOutcome[] = [];
  let hasStarted = false;
  return {
    over: over.signal,
    /** Programs have no limits of time and silence while it lasts. */
    whileWaiting: async <A>(wait: Promise<A>): Promise<A> => {
      waits.begin();
      try {
        return await wait;
      } finally {
        waits.end();
      }
    },
    /** The limit of a program that was ended at it. */
    silentForSec: () => silentForSec,
    hasStarted: () => hasStarted,
    limitMet: () => outcomes.map(limitOf).find((limit) => limit !== null) ?? null,
    /** Why its last program failed, as the program says. */
    reason: () => failureReason(outcomes.at(-1)?.stderrTail ?? ""),
    /** Sentences about hidden files that its programs missed. */
    missed: () => [...new Set(outcomes.flatMap(({ missed = [] }) => missed))],
    /** Ends the running programs and waits for their end. */
    end: async () => {
      over.abort();
      await Promise.allSettled(programs);
    },
    runProcess: (given: ProgramSpec) => {
      const spec = silenceSec === null ? given : { silenceSec, ...given };
      const env = environmentOf(assignment, spec);
      const program = run(
        processes.run(spec, {
          runId: assignment.runId,
          workspace,
          env,
          stop,
          onStarted: (identity) => {
            hasStarted = true;
            return supervision.onStarted(identity);
          },
          onPlacement: supervision.onPlacement,
          waits,
          onOutput: supervision.onOutput,
          ...(supervision.handoverState === undefined ? {} : { handoverState: supervision.handoverState }),
        }),
      ).then((outcome) => {
        if (outcome.silent === true) silentForSec ??= spec.silenceSec ?? null;
        outcomes.push(outcome);
        return outcome;
      });
      return awaited(program);
    },
    /** Its programs see what those of the run see, unless the run is elsewhere. */
    readText: (here: ProcessRunner, hostWorkspace: Workspace) => async (path: unknown) => {
      if (!isPath(path)) throw new Error("readText takes the path of a file.");
      const { runId } = assignment;
      const env = here === processes ? assignment.env : { ...hostWorkspace.env, SERVICE_RUN_ID: runId };
      const read = await awaited(
        run(readText({ processes: here, workspace: hostWorkspace, runId, env, stop }, path)),
      );
      if ("refusal" in read) throw new Error(read.refusal);
      return read.text;
    },
  };
};

const validPermission = (value: unknown) => {
  const request = readPermission(value);
  if (request === null) throw new Error("askPermission takes tool, title, and texts of at most 1 MiB.");
  return request;
};

/** Gives the adapter people's messages to the run. */
const messageFunctions = (
  supervision: RunSupervision,
  over: AbortSignal,
  run: <A>(effect: Effect.Effect<A>) => Promise<A>,
) => {
  let isWaiting = false;
  return {
    nextWord: async (takes: unknown) => {
      if (isWaiting) throw new Error("nextWord waits already.");
      isWaiting = true;
      const { interrupt } = (takes ?? {}) as { readonly interrupt?: unknown };
      return run(supervision.onWord({ interrupt: interrupt === true }, over)).finally(() => {
        isWaiting = false;
      });
    },
    onTaken: async (id: unknown, how: unknown) => {
      if (typeof id !== "string" || (how !== "queued" && how !== "taken"))
        throw new Error('onTaken takes the id of a message, and "queued" or "taken".');
      return run(supervision.onTaken(id, how));
    },
  };
};

/** Records what an adapter reports while it works. Rejects invalid reports to the adapter. */
const heard = (
  { agent, cwd }: Assignment,
  supervision: RunSupervision,
  sessions: SessionKeeper,
  run: <A>(effect: Effect.Effect<A>) => Promise<A>,
) => ({
  onLog: async (stream: LogStream, chunk: string) => {
    if (!streams.includes(stream) || typeof chunk !== "string")
      throw new Error(`onLog takes one of ${streams.join(", ")}, and a text.`);
    return run(supervision.onOutput(stream, chunk));
  },
  onMeta: async (value: unknown) => {
    // It is only information: an error in it does not fail the run.
    const meta = readMeta(value);
    return run(
      meta === null
        ? supervision.onOutput(
            "system",
            Buffer.from("onMeta takes command, args and cwd, of at most 256 KiB. It was dropped.\n"),
          )
        : supervision.onMeta({ command: agent.adapterType, args: [], cwd, ...meta }),
    );
  },
  onUsage: async (value: unknown) => {
    const report = readUsage(value);
    if (report === null) throw new Error("onUsage takes usage with numbers of tokens.");
    return run(supervision.onUsage(report));
  },
  onLimits: async (value: unknown) => {
    const windows = readLimits(value);
    if (windows === null) throw new Error("onLimits takes at most 20 windows with names.");
    return run(supervision.onLimits(windows));
  },
  onSession: async (value: Readonly<Record<string, unknown>>, displayId: unknown) => {
    const session = await sessions.stored(value, typeof displayId === "string" ? displayId : null);
    if (session === null) throw new Error("That is no session of this adapter, or is longer than 64 KiB.");
    return run(supervision.onSession(session.params, session.displayId));
  },
});

/** Returns the valid part of the answer, with its session as the codec writes it. The run's log lists what was dropped. */
const validated = (value: unknown, sessions: SessionKeeper, supervision: RunSupervision) =>
  Effect.gen(function* () {
    const result = readResult(value);
    if (result === null) return failed("adapter_failed", "The adapter failed: it returned no result.");
    const missing = [...leftOut(value, result)];
    const { sessionParams, sessionDisplayId, ...rest } = result;
    const session =
      sessionParams === undefined
        ? null
        : yield* Effect.promise(() => sessions.stored(sessionParams, sessionDisplayId ?? null));
    if (sessionParams !== undefined && session === null) missing.push("sessionParams");
    if (missing.length > 0)
      yield* supervision.onOutput(
        "system",
        `Left out of the adapter's result, because it is too large or makes no sense: ${missing.join(", ")}.\n`,
      );
    return {
      ...rest,
      ...(session === null ? {} : { sessionParams: session.params }),
      ...(session?.displayId == null ? {} : { sessionDisplayId: session.displayId }),
    };
  });

/** The service's address by the name that packages of another product read from their environment. */
const knownAddress = ({
  SERVICE_API_URL: address,
}: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  address === undefined ? {} : { PAPERCLIP_API_URL: address };

const isSeconds = (value: unknown): value is number =>
  typeof value === "number" && value > 0 && Number.isFinite(value);
