import * as Effect from "effect/Effect";
import type { Run } from "../../../core/model/runs/run.ts";
import type { ClaimedRun } from "../../../core/runs/claim-runs.ts";
import type { conductRun } from "../../../core/runs/conduct-run.ts";
import type { ContinuedRun, continueRun } from "../../../core/runs/continue-run.ts";
import type { HandoverState } from "../../../core/runs/run-supervision.ts";
import type { Telemetry } from "../../../ports/telemetry.ts";
import type { RunViews } from "../../../ports/views/run-views.ts";

type Conduct = ReturnType<typeof conductRun>;
type Continue = ReturnType<typeof continueRun>;
type Attributes = Readonly<Record<string, string | number>>;
type Runs = Pick<RunViews, "causedBy" | "get">;

/**
 * Traces each run from its wake to its end. It is a trace of its own, which links to what woke the agent: agents wake agents, and
 * one trace of all of them would never end.
 */
export const tracedRun =
  (telemetry: Telemetry, runs: Runs, conduct: Conduct): Conduct =>
  (claimed, stop) => {
    const { run, agent } = claimed;
    const { createdAt: since } = run;
    const waited = telemetry.span("run.wait", Effect.void, { since });
    const carriedOut = Effect.andThen(waited, withOutcome(telemetry, runs, run, conduct(claimed, stop)));
    const causedBy = Effect.catchCause(runs.causedBy(run.id), () => Effect.succeed(null));
    return Effect.flatMap(causedBy, (span) =>
      telemetry.begin(
        {
          name: telemetry.genAi ? `invoke_agent ${agent.name}` : "run",
          kind: "internal",
          attributes: { ...attributesOf(run), ...(telemetry.genAi ? genAiAttributesOf(claimed) : {}) },
          since,
          causedBy: span ?? undefined,
        },
        carriedOut,
      ),
    );
  };

/** The rest of a run that another service has begun. */
export const tracedRest =
  (telemetry: Telemetry, runs: Runs, rest: Continue): Continue =>
  (continued, stop) =>
    telemetry.begin(
      {
        name: "run.continue",
        kind: "internal",
        attributes: attributesOf(continued.run),
        traceparent: traceparentOf(continued),
      },
      withOutcome(telemetry, runs, continued.run, rest(continued, stop)),
    );

const traceparentOf = ({ handoverState }: ContinuedRun): string | undefined =>
  (JSON.parse(handoverState) as HandoverState).assignment.env.TRACEPARENT;

const attributesOf = (run: Run): Attributes => ({
  "boardroom.run.id": run.id,
  "boardroom.agent.id": run.agentId,
  "boardroom.company.id": run.companyId,
  ...(run.issueId === null ? {} : { "boardroom.issue.id": run.issueId }),
  "boardroom.wake.reason": run.wakeReason,
});

/** Adds how the run ended. */
const withOutcome = <A, E>(
  { genAi }: Telemetry,
  runs: Runs,
  { id }: Run,
  work: Effect.Effect<A, E>,
): Effect.Effect<A, E> => {
  const outcome = Effect.flatMap(runs.get(id), ({ run: { status, errorCode, usage, sessionIdAfter } }) =>
    Effect.annotateCurrentSpan({
      "boardroom.run.status": status,
      ...(errorCode === null ? {} : { "error.type": errorCode }),
      ...(genAi && usage !== null
        ? {
            "gen_ai.usage.input_tokens": usage.inputTokens,
            "gen_ai.usage.output_tokens": usage.outputTokens,
          }
        : {}),
      ...(genAi && sessionIdAfter !== null ? { "gen_ai.conversation.id": sessionIdAfter } : {}),
    }),
  );
  return Effect.ensuring(work, Effect.ignoreCause(outcome));
};

/** OpenTelemetry's conventions for generative AI, pinned to version 1.41.0, because they still change. */
const genAiAttributesOf = ({ run, agent }: ClaimedRun): Attributes => {
  const { model } = agent.adapterConfig;
  return {
    "gen_ai.operation.name": "invoke_agent",
    "gen_ai.provider.name": run.adapterType,
    "gen_ai.agent.id": run.agentId,
    "gen_ai.agent.name": agent.name,
    ...(typeof model === "string" ? { "gen_ai.request.model": model } : {}),
  };
};
