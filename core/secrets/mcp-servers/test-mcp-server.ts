import * as Effect from "effect/Effect";
import * as Redacted from "effect/Redacted";
import type { McpProbe } from "../../../ports/mcp-probe.ts";
import type { SecretProviders } from "../../../ports/secret-provider.ts";
import type { UseCaseContext } from "../../access/unit-of-work.ts";
import {
  bindingsOfServer,
  filledValue,
  type McpServer,
  McpServerUnusable,
  valuesOf,
} from "../../model/mcp-servers/mcp-server.ts";
import { Masking } from "../../model/runs/masking/masking.ts";
import { readBinding } from "../read-binding.ts";

/**
 * Asks a server for its tools, with the values of its secrets now; refuses with a sentence what does not work. Returns
 * null where the company's programs run on an engine, which cannot be asked.
 */
export const testMcpServer = Effect.fnUntraced(function* (
  context: UseCaseContext,
  providers: SecretProviders,
  probe: McpProbe,
  server: McpServer,
) {
  const { companyId, url, command, args, allowPrivateHost } = server;
  const bindings = bindingsOfServer(server);
  const bound = yield* context.transactor.transact(({ secrets }) => secrets.bound(companyId, bindings));
  const read = yield* Effect.forEach(bindings, (binding, at) =>
    readBinding(providers, companyId, binding, bound[at] ?? null).pipe(
      Effect.mapError(
        ({ message }) => new McpServerUnusable({ path: binding.configPath.split(".") }, message),
      ),
      Effect.map((value) => [binding.variable, Redacted.value(value)] as const),
    ),
  );
  const secrets = new Map(read);
  const values = Object.entries(valuesOf(server).values).map(
    ([name, value]) => [name, Redacted.make(filledValue(value, secrets.get(name)))] as const,
  );
  // A server may echo what it was sent in the names, descriptions and errors of its tools.
  const masking = new Masking(read.map(([, value]) => value));
  const address = url === null ? { command: command ?? "", args } : { url, allowPrivateHost };
  return yield* probe.listTools(companyId, { ...address, values: Object.fromEntries(values) }).pipe(
    Effect.map((tools) => masking.deep(tools)),
    Effect.mapError(
      ({ message }) =>
        new McpServerUnusable({ path: [url === null ? "command" : "url"] }, masking.text(message)),
    ),
  );
});
