import * as Effect from "effect/Effect";
import * as Redacted from "effect/Redacted";
import type { McpServerOfRun } from "../../ports/agent-adapter.ts";
import type { Views } from "../../ports/views.ts";
import {
  bindingsOfServer,
  filledValue,
  isForAgent,
  type McpServer,
  valuesOf,
} from "../model/mcp-servers/mcp-server.ts";
import { maskedFromLength } from "../model/secrets/secret.ts";
import type { resolveBindings } from "../secrets/resolve-bindings.ts";
import type { ClaimedRun } from "./claim-runs.ts";

/** The company's MCP servers for a run. */
export interface FilledServers {
  readonly servers: readonly McpServerOfRun[];
  /** The variables of the environment to which they refer. */
  readonly env: Readonly<Record<string, string>>;
  readonly secretValues: readonly string[];
  /** Names of values that are too short to be masked. */
  readonly unmasked: readonly string[];
  /** Sentences: servers that the run goes without. */
  readonly leftOut: readonly string[];
}

interface Deps {
  readonly views: Pick<Views, "mcpServers">;
  readonly secrets: { readonly resolve: ReturnType<typeof resolveBindings> };
}

/**
 * Reads the servers that the run's agent gets now, with the values of their secrets. One whose secret cannot be read is
 * left out: a run is worth more than a tool.
 */
export const mcpServersOfRun = Effect.fnUntraced(function* (
  { views, secrets }: Deps,
  { run, agent }: Pick<ClaimedRun, "run" | "agent">,
) {
  const all = yield* views.mcpServers.list(run.companyId);
  const servers: McpServerOfRun[] = [];
  const env: Record<string, string> = {};
  const secretValues: string[] = [];
  const unmasked: string[] = [];
  const leftOut: string[] = [];
  for (const server of all.filter((one) => isForAgent(one, agent))) {
    const bindings = bindingsOfServer(server).map((binding) => ({
      ...binding,
      configPath: `mcpServers.${server.name}.${binding.configPath}`,
    }));
    const resolved = yield* Effect.result(
      secrets.resolve({
        companyId: run.companyId,
        agentId: agent.id,
        runId: run.id,
        issueId: run.issueId,
        bindings,
      }),
    );
    if (resolved._tag === "Failure") {
      leftOut.push(`MCP server ${server.name} was skipped: ${resolved.failure.message}`);
      continue;
    }
    const read = new Map(resolved.success.map(({ variable, value }) => [variable, Redacted.value(value)]));
    for (const [name, value] of read) {
      secretValues.push(value);
      if (value.length < maskedFromLength) unmasked.push(`${server.name}.${name}`);
    }
    const variables: Record<string, string> = {};
    for (const [name, value] of Object.entries(valuesOf(server).values)) {
      const variable = `SERVICE_MCP_${Object.keys(env).length + 1}`;
      env[variable] = filledValue(value, read.get(name));
      variables[name] = variable;
    }
    servers.push(ofRun(server, variables));
  }
  const filled: FilledServers = { servers, env, secretValues, unmasked, leftOut };
  return filled;
});

const ofRun = (
  { name, url, command, args }: McpServer,
  variables: Readonly<Record<string, string>>,
): McpServerOfRun =>
  url === null ? { name, command: command ?? "", args, env: variables } : { name, url, headers: variables };
