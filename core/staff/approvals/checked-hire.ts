import type { AdapterRegistry } from "../../../ports/adapter-registry.ts";
import type { Runners } from "../../../ports/runners.ts";
import type { Stores } from "../../../ports/transactor.ts";
import { bySystem } from "../../model/access/caller.ts";
import type { Approval } from "../../model/approvals/approval.ts";
import type { AgentId } from "../../model/shared/ids.ts";
import { checkedConfig } from "../agents/create-agent.ts";

/**
 * Checks a proposed hire as it stands: adapters and managers may have gone since its request. Who decides it shows it no
 * further path of the machine, because only a path that an instance admin has written is one that the admin has meant.
 */
export const checkedHire = (
  stores: Stores,
  adapters: AdapterRegistry,
  runners: Runners,
  { companyId, payload, grantedPaths: granted }: Approval & { readonly type: "hire_agent" },
  agentId: AgentId,
) => checkedConfig(stores, adapters, runners, companyId, agentId, { ...payload, by: bySystem, granted });
