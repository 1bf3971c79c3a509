import * as Effect from "effect/Effect";
import type { PermissionAnswer } from "../../ports/agent-adapter.ts";
import type { RunEvent } from "../../ports/stores/run-store.ts";
import { actAs, transactAsSystem, type UseCaseContext } from "../access/unit-of-work.ts";
import type { Actor } from "../model/access/caller.ts";
import { expirySentences } from "../model/issues/interactions/expiry-sentences.ts";
import type { Interaction } from "../model/issues/interactions/interaction.ts";
import { isAllowedBy, ruleOf } from "../model/issues/interactions/permission-rule.ts";
import { refusalOfInteraction } from "../model/issues/issue-actions.ts";
import type { Run } from "../model/runs/run.ts";
import { bounds } from "../model/shared/bounds.ts";
import type { InteractionId, IssueId } from "../model/shared/ids.ts";
import { addSeconds, type Instant } from "../model/shared/instant.ts";
import { notAllowed, type Presented } from "./permission-request.ts";

export interface AskPermission {
  readonly run: Pick<Run, "id" | "companyId" | "agentId" | "issueId">;
  readonly request: Exclude<Presented, { readonly refusal: string }>;
  readonly waitSec: number;
}

/** A question that waits for people. */
export interface AskedPermission {
  readonly interactionId: InteractionId;
  readonly issueId: IssueId;
}

const nobodyToAsk = notAllowed(
  "No one can be asked because the run has no issue. Check out an issue first, or continue without the tool.",
);

const allowed: PermissionAnswer = { allow: true };

/** In the run's story, for what nobody was asked. */
const allowedEvent = (
  { id: runId, companyId }: AskPermission["run"],
  title: string,
  at: Instant,
): RunEvent => ({
  companyId,
  runId,
  type: "lifecycle",
  level: "info",
  message: `always allowed: ${title}`,
  payload: {},
  at,
});

const asked = (interactionId: InteractionId, issueId: IssueId): AskedPermission => ({
  interactionId,
  issueId,
});

/**
 * Asks people what a run's program wants to do: a card in the issue of the run, or in the one that it has checked out. The
 * effect can be repeated when the answer to its commit was lost: the card's id is chosen before, so that it finds its own.
 */
export const askPermission =
  (context: UseCaseContext) =>
  ({ run, request, waitSec }: AskPermission) => {
    const interactionId = context.ids.newId<"interaction">();
    const by: Actor = { kind: "agent", agentId: run.agentId, runId: run.id };
    return transactAsSystem(context, "runs.askPermission", function* (system) {
      const unit = actAs(system, by);
      const askedIn = yield* unit.interactions.issueOf(interactionId);
      if (askedIn !== null) return asked(interactionId, askedIn);
      const agent = yield* unit.agents.findInCompany(run.agentId, run.companyId);
      const issueId = run.issueId ?? (yield* unit.issues.checkedOutBy(run.id));
      // Before a handover, another service may have heard that it may do so until it ends.
      const ofRun = issueId === null ? [] : yield* unit.interactions.allowedInRun(run.id, issueId);
      if (
        isAllowedBy(
          [...(agent?.runtimeConfig.alwaysAllow ?? []), ...ofRun.flatMap((each) => ruleOf(each) ?? [])],
          request.payload,
        )
      ) {
        yield* unit.runs.appendEvents([allowedEvent(run, request.title, unit.at)]);
        return allowed;
      }
      if (issueId === null) return nobodyToAsk;
      const issue = yield* Effect.orDie(unit.issues.lock(issueId));
      if (refusalOfInteraction(issue) !== null)
        return notAllowed("No one can be asked because the issue is closed. Continue without the tool.");
      if ((yield* unit.runs.lockLiveAmong([run.id])).length === 0)
        return notAllowed(expirySentences.run_ended);
      const open = yield* unit.bounds.count("openInteractions", run.companyId, run.agentId);
      if (open >= bounds.openInteractions.most) return notAllowed(bounds.openInteractions.sentence);
      const { at } = unit;
      const interaction: Interaction = {
        id: interactionId,
        companyId: run.companyId,
        issueId,
        kind: "request_permission",
        payload: { version: 1, ...request.payload, expiresAt: addSeconds(at, waitSec) },
        status: "pending",
        continuationPolicy: "none",
        idempotencyKey: null,
        title: request.title,
        summary: null,
        result: null,
        endsByComment: false,
        targetDocumentId: null,
        sourceRunId: run.id,
        createdByAgentId: run.agentId,
        createdByUserId: null,
        resolvedByAgentId: null,
        resolvedByUserId: null,
        resolvedAt: null,
        createdAt: at,
        updatedAt: at,
      };
      yield* unit.interactions.insert(interaction);
      yield* unit.issues.save({ ...issue, lastActivityAt: at });
      yield* unit.runs.appendEvents([
        {
          companyId: run.companyId,
          runId: run.id,
          type: "lifecycle",
          level: "info",
          message: `waits for a person: ${request.title}`,
          payload: { interactionId, issueId },
          at,
        },
      ]);
      yield* unit.log(
        "issue.interaction_created",
        { companyId: run.companyId, id: issueId },
        {
          identifier: issue.identifier,
          interactionId,
          kind: interaction.kind,
        },
      );
      return asked(interactionId, issueId);
    });
  };
