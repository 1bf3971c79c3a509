import * as Effect from "effect/Effect";
import * as Result from "effect/Result";
import type { AgentInCompany } from "../../../../ports/stores/agent-store.ts";
import type { UnitOfWork } from "../../../access/unit-of-work.ts";
import { authorOf } from "../../../model/access/caller.ts";
import { configure } from "../../../model/agents/agent.ts";
import { configOf } from "../../../model/agents/agent-config.ts";
import {
  InteractionAnswerInvalid,
  InteractionRunEnded,
} from "../../../model/issues/interactions/interaction.ts";
import {
  maxRules,
  type PermissionRule,
  withRule,
} from "../../../model/issues/interactions/permission-rule.ts";

/** Adds the rule to the agent's configuration, where people see and revoke it, as a revision. The agent is locked. */
export const allowAlways = Effect.fnUntraced(function* (
  unit: UnitOfWork,
  agent: AgentInCompany,
  rule: PermissionRule,
) {
  const before = configOf(agent);
  const rules = before.runtimeConfig.alwaysAllow ?? [];
  const alwaysAllow = withRule(rules, rule);
  if (alwaysAllow === rules) return;
  if (alwaysAllow.length > maxRules)
    return yield* Effect.fail(
      new InteractionAnswerInvalid(
        { path: ["always"] },
        `${agent.name} already has ${maxRules} permissions. Revoke one in its configuration first.`,
      ),
    );
  const after = { ...before, runtimeConfig: { ...before.runtimeConfig, alwaysAllow } };
  const configured = yield* Result.match(configure(agent, after, unit.at), {
    onSuccess: (done) => Effect.succeed(done),
    // A terminated agent has no run.
    onFailure: () => Effect.fail(new InteractionRunEnded()),
  });
  yield* unit.agents.save(configured);
  yield* unit.agents.insertRevision({
    id: unit.newId<"revision">(),
    companyId: agent.companyId,
    agentId: agent.id,
    source: "patch",
    rolledBackFromRevisionId: null,
    changedKeys: ["runtimeConfig"],
    beforeConfig: before,
    afterConfig: after,
    ...authorOf(unit.by),
    createdAt: unit.at,
  });
  yield* unit.log("agent.updated", agent, { changed: ["runtimeConfig"] });
});
