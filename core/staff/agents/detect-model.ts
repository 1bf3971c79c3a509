import * as Effect from "effect/Effect";
import type { AdapterProbe } from "../../../ports/adapter-probe.ts";
import type { AdapterRegistry } from "../../../ports/adapter-registry.ts";
import type { UseCaseContext } from "../../access/unit-of-work.ts";
import { AgentNotFound } from "../../model/agents/agent.ts";
import type { AgentId, CompanyId } from "../../model/shared/ids.ts";
import { checkAdapter } from "./agent-settings.ts";

export interface DetectModel {
  readonly companyId: CompanyId;
  readonly adapterType: string;
  /** The agent program that is meant, where the adapter runs several. */
  readonly program?: string | null | undefined;
  /** In whose home to look; omitted: the company's. */
  readonly agentId?: AgentId | undefined;
}

/** The model of agents whose configuration names none. */
export const detectModel =
  (context: UseCaseContext, adapters: AdapterRegistry, probe: AdapterProbe) =>
  ({ companyId, adapterType, program = null, agentId }: DetectModel) =>
    Effect.gen(function* () {
      const loaded = yield* checkAdapter(adapters, adapterType);
      if (agentId === undefined) return yield* probe.detectModel(loaded, companyId, program, null);
      const agent = yield* context.transactor.transact(({ agents }) =>
        agents.findInCompany(agentId, companyId),
      );
      if (agent === null) return yield* Effect.fail(new AgentNotFound());
      return yield* probe.detectModel(loaded, companyId, program, agent);
    });
