import * as Effect from "effect/Effect";
import type { AgentInCompany } from "../../../../ports/stores/agent-store.ts";
import { type UnitOfWork, useCase } from "../../../access/unit-of-work.ts";
import {
  InteractionAnswerInvalid,
  type InteractionResult,
} from "../../../model/issues/interactions/interaction.ts";
import { refusalOfDecision } from "../../../model/issues/interactions/interaction-actions.ts";
import { type PermissionScope, ruleOf } from "../../../model/issues/interactions/permission-rule.ts";
import { allowAlways } from "./allow-always.ts";
import { createTasks } from "./create-tasks.ts";
import {
  endInteraction,
  type InteractionCommand,
  lockOpenInteraction,
  type OpenInteraction,
} from "./end-interaction.ts";

export interface AcceptInteraction extends InteractionCommand {
  /** The suggested tasks to create; all where it is missing. */
  readonly selectedClientKeys?: readonly string[] | undefined;
  /** Allows the same again without a question. Omitted: once. */
  readonly always?: PermissionScope | undefined;
}

/**
 * Accepts a confirmation, a permission request, or suggested tasks, whose issues it creates in the same transaction. Wakes the
 * assignee once.
 */
export const acceptInteraction = useCase(
  "issues.interactions.accept",
  function* (unit, command: AcceptInteraction) {
    // Agents are locked before issues.
    const agentId =
      command.always === "agent" ? yield* unit.interactions.agentOf(command.interactionId) : null;
    const agent = agentId === null ? null : yield* Effect.orDie(unit.agents.lock(agentId));
    const open = yield* lockOpenInteraction(unit, command, refusalOfDecision);
    const result = yield* acceptedResult(unit, open, command);
    if (command.always !== undefined) yield* allowAgain(unit, open, agent);
    return yield* endInteraction(unit, open, { status: "accepted", result });
  },
);

/** Refuses what can only be allowed once, and stores what is allowed for the agent. */
const allowAgain = Effect.fnUntraced(function* (
  unit: UnitOfWork,
  { interaction }: OpenInteraction,
  agent: AgentInCompany | null,
) {
  const rule = interaction.kind === "request_permission" ? ruleOf(interaction.payload) : null;
  if (rule === null)
    return yield* Effect.fail(
      new InteractionAnswerInvalid({ path: ["always"] }, "This can only be allowed once."),
    );
  if (agent !== null) yield* allowAlways(unit, agent, rule);
});

const acceptedResult = Effect.fnUntraced(function* (
  unit: UnitOfWork,
  { issue, interaction }: OpenInteraction,
  { selectedClientKeys, always }: AcceptInteraction,
) {
  if (interaction.kind === "suggest_tasks")
    return yield* createTasks(unit, { issue, payload: interaction.payload, selectedClientKeys });
  if (selectedClientKeys !== undefined)
    yield* Effect.fail(
      new InteractionAnswerInvalid(
        { path: ["selectedClientKeys"] },
        "A confirmation has no tasks to choose from.",
      ),
    );
  const accepted: InteractionResult = {
    version: 1,
    outcome: "accepted",
    ...(always === undefined ? {} : { always }),
  };
  return accepted;
});
