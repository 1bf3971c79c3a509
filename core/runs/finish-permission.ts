import * as Effect from "effect/Effect";
import type { PermissionAnswer } from "../../ports/agent-adapter.ts";
import { systemUseCase } from "../access/unit-of-work.ts";
import { expirySentences } from "../model/issues/interactions/expiry-sentences.ts";
import { expiryResult, type Interaction } from "../model/issues/interactions/interaction.ts";
import { type PermissionScope, permissionScopes } from "../model/issues/interactions/permission-rule.ts";
import type { AskedPermission, AskPermission } from "./ask-permission.ts";
import { notAllowed } from "./permission-request.ts";

export interface FinishPermission extends AskedPermission {
  readonly run: AskPermission["run"];
  /** Why it expires if it is still open. */
  readonly otherwise: "unanswered" | "run_ended";
}

/** The answer, and for how long it holds where it is a yes; null: once. */
export interface FinishedPermission {
  readonly answer: PermissionAnswer;
  readonly always: PermissionScope | null;
}

/** Ends the wait for an answer: an open question expires. Returns the answer of the person, or of the expiry. */
export const finishPermission = systemUseCase(
  "runs.finishPermission",
  function* (unit, { run, interactionId, issueId, otherwise }: FinishPermission) {
    yield* Effect.orDie(unit.issues.lock(issueId));
    const [live] = yield* unit.runs.lockLiveAmong([run.id]);
    const found = yield* Effect.orDie(unit.interactions.lock(interactionId, issueId));
    const { at } = unit;
    const isOpen = found.status === "pending";
    const result = isOpen ? expiryResult(found.kind, otherwise) : found.result;
    if (isOpen) {
      const { id, companyId, kind, resolvedByAgentId, resolvedByUserId } = found;
      const end = { id, status: "expired" as const, result, resolvedByAgentId, resolvedByUserId };
      yield* unit.interactions.save({ ...end, resolvedAt: at, updatedAt: at });
      yield* unit.log(
        "issue.interaction_expired",
        { companyId, id: issueId },
        {
          interactionId,
          kind,
          reason: otherwise,
        },
      );
    }
    const answer = answerOf(isOpen ? { status: "expired", result } : found);
    const always = answer.allow ? (permissionScopes.find((scope) => scope === result?.always) ?? null) : null;
    if (live !== undefined)
      yield* unit.runs.appendEvents([
        {
          companyId: run.companyId,
          runId: run.id,
          type: "lifecycle",
          level: "info",
          message: answer.allow ? allowedLabels[always ?? "once"] : `denied: ${answer.message}`,
          payload: { interactionId, issueId },
          at,
        },
      ]);
    const finished: FinishedPermission = { answer, always };
    return finished;
  },
);

const allowedLabels: Readonly<Record<PermissionScope | "once", string>> = {
  once: "allowed",
  run: "allowed for this run",
  agent: "allowed for all runs of this agent",
};

/** The answer to a program: a no is a sentence for its model. */
const answerOf = ({ status, result }: Pick<Interaction, "status" | "result">): PermissionAnswer => {
  if (status === "accepted") return { allow: true };
  const { outcome, reason } = result ?? { outcome: null, reason: null };
  const expired = Object.entries(expirySentences).find(([name]) => name === outcome);
  if (expired !== undefined) return notAllowed(`${expired[1]} Denied automatically.`);
  return notAllowed(typeof reason === "string" && reason !== "" ? `Denied: ${reason}` : "Denied.");
};
