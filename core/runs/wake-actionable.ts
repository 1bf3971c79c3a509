import * as Effect from "effect/Effect";
import type { Ids } from "../../ports/ids.ts";
import type { Stores } from "../../ports/transactor.ts";
import type { Actor } from "../access/caller.ts";
import { IssueWakes } from "../issues/issue-wakes.ts";
import type { AgentId, CompanyId } from "../shared/ids.ts";
import type { Instant } from "../shared/instant.ts";

/** After a hold is lifted: one wake per issue that can go on, so that nothing is forgotten and nothing storms. */
export const wakeActionable = Effect.fnUntraced(function* (
  stores: Stores,
  ids: Ids,
  of: { agentId: AgentId } | { companyId: CompanyId },
  companyId: CompanyId,
  by: Actor,
  at: Instant,
) {
  const wakes = new IssueWakes(companyId, by, at);
  for (const issue of yield* stores.issues.actionable(of))
    wakes.add(issue.assigneeAgentId, issue.id, "agent_resumed");
  yield* wakes.send(stores, ids);
});
