import * as Effect from "effect/Effect";
import type { Stores } from "../../../ports/transactor.ts";
import { notTerminated } from "../../model/agents/named-agent.ts";
import type { AgentId, CompanyId } from "../../model/shared/ids.ts";

export const checkLead = Effect.fnUntraced(function* (
  stores: Stores,
  companyId: CompanyId,
  lead: AgentId | null | undefined,
) {
  if (!lead) return;
  const agent = yield* stores.agents.findInCompany(lead, companyId);
  yield* Effect.fromResult(notTerminated(agent, "leadAgentId"));
});
