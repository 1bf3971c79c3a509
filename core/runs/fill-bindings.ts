import * as Effect from "effect/Effect";
import * as Redacted from "effect/Redacted";
import type { AdapterConfig } from "../model/agents/agent-config.ts";
import { bindingsOf } from "../model/secrets/binding.ts";
import { maskedFromLength } from "../model/secrets/secret.ts";
import type { resolveBindings } from "../secrets/resolve-bindings.ts";
import type { ClaimedRun } from "./claim-runs.ts";

/** An adapterConfig with the run's values, and the values to mask in its output. */
export interface Filled {
  /** References replaced by values. In memory only, until the environment of the process is set. */
  readonly config: AdapterConfig;
  readonly secretValues: readonly string[];
  /** Variables whose secret is too short to be masked. */
  readonly unmasked: readonly string[];
}

/** Reads the secrets of a run's agent, just before the run. */
export const fillBindings = Effect.fnUntraced(function* (
  secrets: { readonly resolve: ReturnType<typeof resolveBindings> },
  { run, agent }: Pick<ClaimedRun, "run" | "agent">,
) {
  const { adapterConfig } = agent;
  const resolved = yield* secrets.resolve({
    companyId: run.companyId,
    agentId: agent.id,
    runId: run.id,
    issueId: run.issueId,
    bindings: bindingsOf(adapterConfig),
  });
  const values = resolved.map(({ variable, value }) => [variable, Redacted.value(value)] as const);
  const filled: Filled = {
    config:
      resolved.length === 0
        ? adapterConfig
        : { ...adapterConfig, env: { ...(adapterConfig.env as object), ...Object.fromEntries(values) } },
    secretValues: values.map(([, value]) => value),
    unmasked: values.flatMap(([name, value]) => (value.length < maskedFromLength ? [name] : [])),
  };
  return filled;
});
