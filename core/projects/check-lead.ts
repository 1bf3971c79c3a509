import * as Effect from "effect/Effect";
import type { Stores } from "../../ports/transactor.ts";
import { ReferenceNotFound } from "../shared/failure.ts";
import type { AgentId, CompanyId } from "../shared/ids.ts";

export const checkLead = Effect.fnUntraced(function* (
  stores: Stores,
  companyId: CompanyId,
  lead: AgentId | null | undefined,
) {
  if (lead && (yield* stores.agents.findInCompany(lead, companyId)) === null)
    yield* Effect.fail(ReferenceNotFound.at("leadAgentId"));
});
