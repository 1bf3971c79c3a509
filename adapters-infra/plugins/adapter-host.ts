import { realpathSync } from "node:fs";
import { pathToFileURL } from "node:url";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import * as Fiber from "effect/Fiber";
import type * as Scope from "effect/Scope";
import { failureReason } from "../../core/model/runs/failure-reason.ts";
import { clause } from "../../core/model/shared/sentence.ts";
import type { AdapterHostOptions } from "../../ports/adapter-registry.ts";
import type { ProcessOutcome } from "../../ports/agent-adapter.ts";
import type { ProcessRunner, ProgramPipe } from "../../ports/process-runner.ts";
import type { Workspace } from "../../ports/workspaces.ts";
import { hostProgram } from "./adapter-host-program.ts";
import { type Asked, type HostCalls, hostCalls } from "./host-calls.ts";
import { hostChannel } from "./host-channel.ts";
import { messageOf, oneLine } from "./plain-text.ts";
import { type PluginManifest, PluginRefusal } from "./plugin-manifest.ts";

/**
 * A process that runs the code of an external adapter, for one run or one call. The service survives its crashes, loops
 * and stalls. It is supervised like any program of the run: stored, in its own session, found by the run's id.
 */
export interface AdapterHost {
  /** The exports of the package, unchecked. */
  readonly opened: OpenedPackage;
  call(method: string, asked: Asked): Promise<unknown>;
  /** False when it has failed. */
  isThere(): boolean;
}

export interface OpenedPackage {
  readonly exported: {
    readonly root: Readonly<Record<string, unknown>>;
    readonly creates: boolean;
    readonly adapter: Readonly<Record<string, unknown>> | null;
  };
  readonly methods: readonly string[];
  readonly codec: readonly string[];
}

/** Wait for the host's exit after its pipe has ended. */
const exitMs = 2_000;
const askEveryMs = 3_000;
/** Unanswered liveness checks before the host counts as stuck: more than a slow machine needs. */
const maxUnanswered = 5;
const maxHeapMb = 512;
/** Limit of resident memory, buffers outside the heap included; checked with each liveness check. */
const maxResidentMb = 1024;
/** A host lives as long as its scope. */
const noTimeoutSec = (2 ** 31 - 1) / 1000;

/** Starts a host and opens the package in it. When the scope closes, the host and all its descendants have ended. */
export const adapterHost = (
  processes: ProcessRunner,
  manifest: PluginManifest,
  at: AdapterHostOptions,
  /** Limit of the start and of loading the package. */
  openMs: number,
): Effect.Effect<AdapterHost, PluginRefusal, Scope.Scope> =>
  Effect.gen(function* () {
    const conversation = hostConversation(manifest.packageName);
    const program = processes.run(
      {
        command: process.execPath,
        args: [`--max-old-space-size=${maxHeapMb}`, "--input-type=module", "--eval", hostProgram],
        reads: [manifest.directory],
        timeoutSec: noTimeoutSec,
        // Read when the host is ended: a run that has had its time has used up some of its grace.
        get graceSec() {
          return Math.min(at.graceSec, conversation.graceLeftSec());
        },
        onPipe: conversation.begin,
      },
      {
        ...at,
        workspace: withPackage(at.workspace, manifest.directory),
        env: { ...at.workspace.env, ...at.env, SERVICE_RUN_ID: at.runId },
        stop: AbortSignal.any([at.stop, conversation.stopping]),
        // Output of a package goes to no log.
        onOutput: () => Effect.void,
      },
    );
    yield* Effect.acquireRelease(
      program.pipe(
        Effect.onExit((exit) => Effect.sync(() => conversation.over(exit))),
        Effect.forkDetach,
      ),
      (running) => Effect.andThen(Effect.sync(conversation.end), Fiber.await(running)),
    );
    const opened = yield* Effect.tryPromise({
      try: () => {
        const { entry, server, directory } = manifest;
        const context = {
          entry: pathToFileURL(entry).href,
          server: server === null ? null : pathToFileURL(server).href,
          directory,
        };
        return conversation.call("open", { context, limitMs: openMs }) as Promise<OpenedPackage>;
      },
      catch: (error) => refusalOf(error, manifest, at),
    });
    return { opened, call: conversation.call, isThere: conversation.isThere };
  });

/** A package that an instance admin has linked from outside of the data directory is shown to its own host. */
const withPackage = (workspace: Workspace, path: string): Workspace => ({
  ...workspace,
  granted: [...workspace.granted, { path, real: realpathSync(path), access: "read" }],
});

const refusalOf = (
  error: unknown,
  { directory }: PluginManifest,
  { workspace: { user } }: AdapterHostOptions,
) => {
  const message = messageOf(error);
  return user !== null && /EACCES|EPERM/.test(message)
    ? new PluginRefusal(
        `${clause(message)}. Adapters run as uid ${user.uid} (SERVICE_AGENT_UID), which must be able to read ${directory}: give it access (chmod -R o+rX, and o+x on the folders above), or move the folder.`,
      )
    : new PluginRefusal(message, { cause: error });
};

interface HostConversation extends Pick<AdapterHost, "call" | "isThere"> {
  begin(pipe: ProgramPipe): void;
  /** The rest of the grace of a run that has had its time. */
  graceLeftSec(): number;
  /** Fires when the host is to be ended. */
  readonly stopping: AbortSignal;
  end(): void;
  over(exit: Exit.Exit<ProcessOutcome>): void;
}

/** Talks with a host from its start to its end. Calls wait for the start. */
const hostConversation = (packageName: string): HostConversation => {
  const stopping = new AbortController();
  let failure: Error | null = null;
  let calls: HostCalls | null = null;
  let watch: NodeJS.Timeout | undefined;
  let graceEndsAt = Number.POSITIVE_INFINITY;
  let tellBegun: (begun: HostCalls) => void = () => {};
  let tellFailed: (error: Error) => void = () => {};
  const begun = new Promise<HostCalls>((resolve, reject) => {
    tellBegun = resolve;
    tellFailed = reject;
  });
  // Callers that await it get the failure.
  begun.catch(() => {});

  let kill = () => {};
  const fail = (why: string) => {
    if (failure !== null) return;
    failure = new Error(`The process of ${packageName} ${why}.`);
    clearInterval(watch);
    tellFailed(failure);
    calls?.fail(failure);
    kill();
    stopping.abort();
  };
  return {
    stopping: stopping.signal,
    graceLeftSec: () => Math.max(graceEndsAt - performance.now(), 0) / 1000,
    isThere: () => failure === null,
    end: () => stopping.abort(),
    begin: (pipe) => {
      pipe.preferAsOomVictim();
      kill = () => pipe.kill();
      let unanswered = 0;
      const endConversation = () => {
        if (!pipe.hasEnded()) fail("ended the conversation");
      };
      const channel = hostChannel(pipe, {
        receive: (message, chars) => {
          unanswered = 0;
          if (calls?.receive(message, chars) === false && message.pong !== true)
            fail("said something that is no message");
        },
        onBroken: fail,
        // The exit status says more, and comes if the host has ended, however long its descendants take.
        onEnd: () => setTimeout(() => setImmediate(endConversation), exitMs).unref(),
      });
      calls = hostCalls(packageName, channel, {
        onOver: (at) => {
          graceEndsAt = at;
        },
        onOverdue: () => fail("took longer than it may"),
      });
      watch = setInterval(() => {
        if (pipe.residentBytes() > maxResidentMb * 2 ** 20)
          return fail(`took more than ${maxResidentMb} MiB of memory`);
        // A paused host cannot answer.
        if (calls?.isFull()) return;
        unanswered += 1;
        if (unanswered > maxUnanswered) fail("was stuck and has been ended");
        else channel.send({ ping: true });
      }, askEveryMs);
      watch.unref();
      if (failure === null) tellBegun(calls);
    },
    over: (exit) => fail(Exit.isSuccess(exit) ? endOf(exit.value) : "could not be supervised"),
    call: async (method, asked) => (await begun).begin(method, asked),
  };
};

const endOf = ({ startError, stopped, signal, exitCode, stderrTail }: ProcessOutcome): string => {
  if (stopped) return "was stopped, and has ended";
  if (startError !== undefined) return `could not be started: ${startError.replace(/\.$/, "")}`;
  const last = oneLine(failureReason(stderrTail), 300);
  return `ended with ${signal ?? `exit code ${exitCode}`}${last === "" ? "" : `: ${last}`}`;
};
