import * as Effect from "effect/Effect";
import type { Clock } from "../../../ports/clock.ts";
import type { Ids } from "../../../ports/ids.ts";
import type { Stores, Transactor } from "../../../ports/transactor.ts";
import type { Actor } from "../../access/caller.ts";
import { NotAllowed, ReferenceNotFound } from "../../shared/failure.ts";
import type { CompanyId, InteractionId, IssueId } from "../../shared/ids.ts";
import type { Instant } from "../../shared/instant.ts";
import { makeIssue } from "../create-issue.ts";
import type { Issue } from "../issue.ts";
import { IssueWakes } from "../issue-wakes.ts";
import {
  type Answer,
  answerProblem,
  chooseTasks,
  type Interaction,
  InteractionAnswerInvalid,
  type InteractionResult,
  InteractionWrongKind,
  refuseUnlessPending,
  rejectionOf,
  resolve,
} from "./interaction.ts";
import type { InteractionStatus } from "./interaction-status.ts";
import type { AskUserQuestions, SuggestTasks } from "./payload.ts";

export interface TheCard {
  readonly companyId: CompanyId;
  readonly issueId: IssueId;
  readonly interactionId: InteractionId;
  readonly by: Actor;
}

export interface AcceptInteraction extends TheCard {
  /** Of suggested tasks, those to create; all where it is missing. */
  readonly selectedClientKeys?: readonly string[] | undefined;
}

export interface RejectInteraction extends TheCard {
  readonly reason?: string | undefined;
}

export interface RespondToInteraction extends TheCard {
  readonly answers: readonly Answer[];
  readonly summaryMarkdown?: string | undefined;
}

/** Accepts a confirmation, or suggested tasks, whose issues are created in the same transaction. Wakes the assignee once. */
export const acceptInteraction =
  (transactor: Transactor, clock: Clock, ids: Ids) => (command: AcceptInteraction) =>
    transactor.transact((stores) =>
      Effect.gen(function* () {
        const { by } = command;
        // Issues take their identifiers from the company, and a company is locked before its issues.
        yield* stores.companies.lock(command.companyId);
        const { issue, card } = yield* takePending(stores, command);
        const at = clock.now();
        let result: InteractionResult = { version: 1, outcome: "accepted" };
        switch (card.kind) {
          case "ask_user_questions":
            return yield* Effect.fail(
              new InteractionWrongKind({ kind: card.kind }, "Questions are answered: respond."),
            );
          case "request_confirmation":
            if (command.selectedClientKeys !== undefined)
              yield* Effect.fail(
                new InteractionAnswerInvalid(
                  { path: ["selectedClientKeys"] },
                  "A confirmation has no tasks to choose from.",
                ),
              );
            break;
          case "suggest_tasks":
            result = yield* createTasks(stores, ids, issue, card.payload, command.selectedClientKeys, by, at);
        }
        return yield* settle(stores, ids, issue, card, "accepted", result, by, at);
      }),
    );

/** Stores the reason and wakes nobody: what follows is said in a comment. */
export const rejectInteraction =
  (transactor: Transactor, clock: Clock, ids: Ids) => (command: RejectInteraction) =>
    transactor.transact((stores) =>
      Effect.gen(function* () {
        const { issue, card } = yield* takePending(stores, command);
        const result = yield* Effect.fromResult(rejectionOf(card, command.reason));
        return yield* settle(stores, ids, issue, card, "rejected", result, command.by, clock.now());
      }),
    );

/** Answers questions; the answer is their acceptance. */
export const respondToInteraction =
  (transactor: Transactor, clock: Clock, ids: Ids) => (command: RespondToInteraction) =>
    transactor.transact((stores) =>
      Effect.gen(function* () {
        const { issue, card } = yield* takePending(stores, command);
        if (card.kind !== "ask_user_questions")
          return yield* Effect.fail(
            new InteractionWrongKind({ kind: card.kind }, "Only questions are responded to."),
          );
        const { answers, summaryMarkdown = null } = command;
        const problem = answerProblem(card.payload as AskUserQuestions, answers);
        if (problem !== null) yield* Effect.fail(problem);
        const result: InteractionResult = { version: 1, answers, summaryMarkdown };
        return yield* settle(stores, ids, issue, card, "answered", result, command.by, clock.now());
      }),
    );

/** Takes a card back: whoever made it, and the board. */
export const cancelInteraction = (transactor: Transactor, clock: Clock, ids: Ids) => (command: TheCard) =>
  transactor.transact((stores) =>
    Effect.gen(function* () {
      const { by } = command;
      const { issue, card } = yield* takePending(stores, command);
      if (by.kind === "agent" && card.createdByAgentId !== by.agentId)
        yield* Effect.fail(new NotAllowed(undefined, "An agent takes back only cards of its own."));
      const result: InteractionResult = {
        version: 1,
        outcome: by.kind === "agent" ? "withdrawn" : "cancelled",
      };
      return yield* settle(stores, ids, issue, card, "cancelled", result, by, clock.now());
    }),
  );

const takePending = Effect.fnUntraced(function* (
  stores: Stores,
  { issueId, interactionId }: Pick<TheCard, "issueId" | "interactionId">,
) {
  const issue = yield* stores.issues.lock(issueId);
  const card = yield* stores.interactions.lock(interactionId, issueId);
  const late = refuseUnlessPending(card);
  if (late !== null) yield* Effect.fail(late);
  return { issue, card };
});

const createTasks = Effect.fnUntraced(function* (
  stores: Stores,
  ids: Ids,
  issue: Issue,
  payload: SuggestTasks,
  selected: readonly string[] | undefined,
  by: Actor,
  at: Instant,
) {
  const chosen = yield* Effect.fromResult(chooseTasks(payload, selected));
  // A label deleted since is off every issue; a card that names it is no reason to refuse the tasks.
  const wanted = new Set(chosen.flatMap(({ labels = [] }) => labels));
  const labels = new Set((yield* stores.labels.existing([...wanted], issue.companyId)).map(({ id }) => id));
  const made = new Map<string, Issue>();
  const createdTasks: object[] = [];
  for (const { clientKey, parentClientKey, parentId, labels: given, hiddenInPreview: _, ...task } of chosen) {
    const parent = parentClientKey == null ? null : made.get(parentClientKey)!;
    const created = yield* makeIssue(
      stores,
      ids,
      {
        ...task,
        id: ids.next<"issue">(),
        companyId: issue.companyId,
        by,
        parentId: parent?.id ?? parentId ?? payload.defaultParentId ?? issue.id,
        projectId: task.projectId === undefined ? issue.projectId : task.projectId,
        goalId: task.goalId === undefined ? issue.goalId : task.goalId,
        labelIds: given?.filter((label) => labels.has(label)),
      },
      at,
    ).pipe(Effect.mapError(inTask(payload.tasks.findIndex((each) => each.clientKey === clientKey))));
    made.set(clientKey, created);
    createdTasks.push({
      clientKey,
      issueId: created.id,
      identifier: created.identifier,
      title: created.title,
      parentIssueId: created.parentId,
      parentIdentifier:
        parent?.identifier ?? (yield* stores.issues.find(created.parentId ?? issue.id)).identifier,
    });
  }
  const skippedClientKeys = payload.tasks
    .map(({ clientKey }) => clientKey)
    .filter((clientKey) => !made.has(clientKey));
  const result: InteractionResult = { version: 1, createdTasks, skippedClientKeys };
  return result;
});

/** Says of a reference that has gone since the card was made where in the card it stands. */
const inTask =
  (index: number) =>
  <E>(no: E): E | ReferenceNotFound => {
    if (!(no instanceof ReferenceNotFound)) return no;
    const { path } = no.details as { readonly path: readonly string[] };
    return ReferenceNotFound.at(`payload.tasks.${index}.${path.join(".")}`);
  };

const settle = Effect.fnUntraced(function* (
  stores: Stores,
  ids: Ids,
  issue: Issue,
  card: Interaction,
  status: InteractionStatus,
  result: InteractionResult,
  by: Actor,
  at: Instant,
) {
  const resolved = resolve(card, status, result, by, at);
  yield* stores.interactions.save(resolved);
  yield* stores.issues.save({ ...issue, lastActivityAt: at });
  yield* stores.activity.append({
    companyId: issue.companyId,
    by,
    at,
    action: "issue.interaction_resolved",
    entityId: issue.id,
    details: { identifier: issue.identifier, interactionId: card.id, kind: card.kind, status },
  });
  const wakes = new IssueWakes(issue.companyId, by, at);
  const goesOn = status === "accepted" || status === "answered";
  if (goesOn && card.continuationPolicy === "wake_assignee" && issue.assigneeAgentId !== null)
    wakes.add(
      issue.assigneeAgentId,
      issue.id,
      status === "accepted" ? "issue_card_accepted" : "issue_card_answered",
      { interactionId: card.id },
    );
  yield* wakes.send(stores, ids);
  return resolved;
});
