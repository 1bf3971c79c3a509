import * as Effect from "effect/Effect";
import type { AdapterRegistry } from "../../../ports/adapter-registry.ts";
import type { Runners } from "../../../ports/runners.ts";
import type { UnitOfWork } from "../../access/unit-of-work.ts";
import { UrlKeyTaken } from "../../model/agents/agent.ts";
import { urlKeyOf } from "../../model/agents/url-key.ts";
import type { HireToJudge } from "../../model/approvals/approval.ts";
import { checkedHire } from "./checked-hire.ts";

/**
 * Returns why a hire cannot be approved although it may be decided, or null: what it names may have gone since it was
 * requested. A draft already has its name; a hire without a draft takes it on approval.
 */
export const refusalOfHire = Effect.fnUntraced(function* (
  unit: UnitOfWork,
  adapters: AdapterRegistry,
  runners: Runners,
  hire: HireToJudge,
) {
  if (hire.status !== "pending") return null;
  const { companyId, payload } = hire;
  const agentId = hire.agentId ?? unit.newId<"agent">();
  const checked = checkedHire(unit, adapters, runners, hire, agentId);
  const refusal = yield* Effect.match(checked, { onSuccess: () => null, onFailure: (failure) => failure });
  if (refusal !== null || hire.agentId !== null) return refusal;
  const other = yield* unit.agents.findByReference(urlKeyOf(payload.name, agentId), companyId);
  return other === null || other.lifecycleState === "terminated" ? null : new UrlKeyTaken();
});
