import type { AdapterRegistry } from "../../../ports/adapter-registry.ts";
import type { Runners } from "../../../ports/runners.ts";
import type { Stores } from "../../../ports/transactor.ts";
import { bySystem } from "../../model/access/caller.ts";
import type { HireToJudge } from "../../model/approvals/approval.ts";
import type { AgentId } from "../../model/shared/ids.ts";
import { checkedConfig } from "../agents/create-agent.ts";

/**
 * Checks a proposed hire as it stands: adapters and managers may have gone since it was requested. Approving it exposes no
 * further path of the machine: only a path that an instance admin has written is intended.
 */
export const checkedHire = (
  stores: Stores,
  adapters: AdapterRegistry,
  runners: Runners,
  { companyId, payload, grantedPaths: granted }: Pick<HireToJudge, "companyId" | "payload" | "grantedPaths">,
  agentId: AgentId,
) =>
  checkedConfig(stores, adapters, runners, { id: agentId, companyId }, { ...payload, by: bySystem, granted });
