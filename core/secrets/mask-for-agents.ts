import * as Effect from "effect/Effect";
import * as Redacted from "effect/Redacted";
import type { SecretProviders } from "../../ports/secret-provider.ts";
import type { UseCaseContext } from "../access/unit-of-work.ts";
import { bindingsOfServer, isForAgent } from "../model/mcp-servers/mcp-server.ts";
import { Masking } from "../model/runs/masking/masking.ts";
import { bindingsOf } from "../model/secrets/binding.ts";
import type { AgentId, CompanyId, IssueId } from "../model/shared/ids.ts";
import { readBinding } from "./read-binding.ts";

/** Hides secrets in a text that is about to be stored or shown. Returns `instead` where they cannot be hidden. */
export type Mask = (text: string, instead?: string) => string;

const withheld = "[Hidden: a secret it may contain couldn't be read, so it couldn't be masked.]\n";

export interface MaskPorts extends Pick<UseCaseContext, "transactor"> {
  readonly providers: SecretProviders;
}

/**
 * Makes the mask for what is printed about the work of agents: it hides the values that their runs get, as they are now.
 * Where one of them cannot be read, the whole text is withheld.
 */
const maskForAgents = ({ transactor, providers }: MaskPorts) =>
  Effect.fnUntraced(function* (companyId: CompanyId, agentIds: readonly AgentId[]) {
    const bound = yield* transactor.transact(({ agents, mcpServers, secrets }) =>
      Effect.gen(function* () {
        // Terminated ones too: their work stays.
        const read = yield* Effect.forEach(agentIds, (id) => agents.findInCompany(id, companyId));
        const found = read.filter((agent) => agent !== null);
        const servers = found.length === 0 ? [] : yield* mcpServers.list(companyId);
        const bindings = [
          ...found.flatMap(({ adapterConfig }) => bindingsOf(adapterConfig)),
          ...servers
            .filter((server) => found.some((agent) => isForAgent(server, agent)))
            .flatMap(bindingsOfServer),
        ];
        const sources = yield* secrets.bound(companyId, bindings);
        return bindings.map((binding, n) => ({ binding, bound: sources[n] ?? null }));
      }),
    );
    return yield* Effect.forEach(
      bound,
      (each) => readBinding(providers, companyId, each.binding, each.bound),
      { concurrency: 4 },
    ).pipe(
      Effect.map((values): Mask => {
        const masking = new Masking(values.map(Redacted.value));
        return (text) => masking.text(text);
      }),
      Effect.orElseSucceed(
        (): Mask =>
          (text, instead = withheld) =>
            text === "" ? "" : instead,
      ),
    );
  });

/** The mask for the agents whose work an issue contains, and for others, such as one whose work is not captured yet. */
export const maskForIssue = (parts: MaskPorts) => {
  const forAgents = maskForAgents(parts);
  return Effect.fnUntraced(function* (
    { companyId, issueId }: { readonly companyId: CompanyId; readonly issueId: IssueId },
    others: readonly AgentId[] = [],
  ) {
    const workers = yield* parts.transactor.transact(({ gates }) => gates.workersOf(issueId));
    return yield* forAgents(companyId, [...new Set([...workers, ...others])]);
  });
};
