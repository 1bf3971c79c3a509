import * as Effect from "effect/Effect";
import type { AdapterRegistry } from "../../ports/adapter-registry.ts";
import type { ExecuteResult } from "../../ports/agent-adapter.ts";
import type { AgentRunner } from "../../ports/agent-runner.ts";
import type { ProcessRunner } from "../../ports/process-runner.ts";

const failed = (errorCode: string, errorMessage: string): ExecuteResult => ({
  exitCode: null,
  timedOut: false,
  errorCode,
  errorMessage,
});

const service = /^(?:SERVICE_|AGENT_HOME$)/;

/** Hands a run to its adapter, which speaks in promises, and lends it the service's hands. */
export const agentRunner = (adapters: AdapterRegistry, processes: ProcessRunner): AgentRunner => ({
  execute: (adapterType, assignment, custody) =>
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
      let fellSilent = false;
      const over = new AbortController();
      const programs = new Set<Promise<unknown>>();
      const ours: unknown[] = [];
      // The adapter's promises call back into effects; they run as part of this one, and end with it.
      const runPromise = Effect.runPromiseWith(yield* Effect.context<never>());
      const run = <A>(effect: Effect.Effect<A>) =>
        runPromise(effect).catch((defect) => {
          ours.push(defect);
          throw defect;
        });
      const result = yield* Effect.tryPromise({
        try: (interrupted) => {
          const stop = AbortSignal.any([custody.stop, interrupted, over.signal]);
          return loaded.adapter.execute({
            ...assignment,
            signal: stop,
            onLog: (stream, chunk) => run(custody.onOutput(stream, chunk)),
            onMeta: (meta) => run(custody.onMeta(meta)),
            onUsage: (report) => run(custody.onUsage(report)),
            onSession: (params, displayId) => run(custody.onSession(params, displayId)),
            runProcess: (spec) => {
              const added = Object.entries(spec.env ?? {}).filter(([name]) => !service.test(name));
              const env: Record<string, string> = { ...assignment.env, ...Object.fromEntries(added) };
              for (const name of spec.unsetEnv ?? []) if (!service.test(name)) delete env[name];
              const program = run(
                processes.run(silenceSec === null ? spec : { silenceSec, ...spec }, {
                  runId: assignment.runId,
                  cwd: spec.cwd ?? assignment.cwd,
                  env,
                  stop,
                  onStarted: custody.onStarted,
                  onOutput: custody.onOutput,
                }),
              ).then((outcome) => {
                fellSilent ||= outcome.silent === true;
                return outcome;
              });
              programs.add(program);
              return program;
            },
          });
        },
        catch: (error) => error,
      }).pipe(
        // No program outlives its adapter's word: a stranger's process may have died under it.
        Effect.ensuring(
          Effect.promise(async () => {
            over.abort();
            await Promise.allSettled(programs);
          }),
        ),
        Effect.catch((error) =>
          Effect.succeed(
            failed(
              "adapter_failed",
              `The adapter failed: ${error instanceof Error ? error.message : String(error)}`,
            ),
          ),
        ),
      );
      // What the service could not do is no failure of the adapter, whatever it made of it.
      if (ours.length > 0) return yield* Effect.die(ours[0]);
      return fellSilent
        ? {
            ...result,
            timedOut: false,
            errorCode: "output_silence",
            errorMessage: `The program was ended after ${silenceSec} seconds without output (silenceSec).`,
          }
        : result;
    }),
});

const isSeconds = (value: unknown): value is number =>
  typeof value === "number" && value > 0 && Number.isFinite(value);
