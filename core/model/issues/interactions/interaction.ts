import * as Result from "effect/Result";
import { type Actor, actingAgent, actingUser } from "../../access/caller.ts";
import { refusal } from "../../shared/failure.ts";
import type {
  AgentId,
  CompanyId,
  DocumentId,
  InteractionId,
  IssueId,
  RunId,
  UserId,
} from "../../shared/ids.ts";
import type { Instant } from "../../shared/instant.ts";
import { mayMove } from "../../shared/moves.ts";
import { sameJson } from "../../shared/same-json.ts";
import { expirySentences } from "./expiry-sentences.ts";
import {
  type ContinuationPolicy,
  type InteractionKind,
  type InteractionStatus,
  interactionMoves,
} from "./interaction-status.ts";
import type { AskUserQuestions, InteractionContent, SuggestedTask, SuggestTasks } from "./payload.ts";

/** Part of an issue's thread: a question, choice or confirmation that an agent asks of the board. */
export type Interaction = InteractionContent & {
  readonly id: InteractionId;
  readonly companyId: CompanyId;
  readonly issueId: IssueId;
  readonly status: InteractionStatus;
  /** wake_assignee: acceptance or answers wake the issue's assignee; rejection never does. */
  readonly continuationPolicy: ContinuationPolicy;
  readonly idempotencyKey: string | null;
  readonly title: string | null;
  readonly summary: string | null;
  /** The result; null while it is pending. */
  readonly result: InteractionResult | null;
  readonly endsByComment: boolean;
  /** The document whose next revision expires it. */
  readonly targetDocumentId: DocumentId | null;
  readonly sourceRunId: RunId | null;
  readonly createdByAgentId: AgentId | null;
  readonly createdByUserId: UserId | null;
  readonly resolvedByAgentId: AgentId | null;
  readonly resolvedByUserId: UserId | null;
  readonly resolvedAt: Instant | null;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
};

export type InteractionResult = { readonly version: 1; readonly [more: string]: unknown };

export class InteractionNotFound extends refusal(
  "interaction_not_found",
  "not_found",
  "Interaction not found in this thread.",
) {}

export class InteractionAlreadyResolved extends refusal(
  "interaction_already_resolved",
  "conflict",
  "This interaction has already been resolved.",
) {}

export class InteractionSuperseded extends refusal(
  "interaction_superseded",
  "conflict",
  expirySentences.superseded_by_comment,
) {}

export class InteractionStaleTarget extends refusal(
  "interaction_stale_target",
  "conflict",
  expirySentences.stale_target,
) {}

export class InteractionIssueClosed extends refusal(
  "interaction_issue_closed",
  "conflict",
  expirySentences.issue_closed,
) {}

export class InteractionUnanswered extends refusal(
  "interaction_unanswered",
  "conflict",
  expirySentences.unanswered,
) {}

export class InteractionRunEnded extends refusal(
  "interaction_run_ended",
  "conflict",
  expirySentences.run_ended,
) {}

export class InteractionWrongKind extends refusal(
  "interaction_wrong_kind",
  "unprocessable",
  "This action doesn't apply to this kind of interaction.",
) {}

export class InteractionAnswerInvalid extends refusal(
  "interaction_answer_invalid",
  "unprocessable",
  "The answer doesn't match the questions.",
) {}

export class InteractionPayloadInvalid extends refusal(
  "interaction_payload_invalid",
  "unprocessable",
  "The interaction isn't consistent.",
) {}

const outcomes = {
  superseded_by_comment: InteractionSuperseded,
  stale_target: InteractionStaleTarget,
  issue_closed: InteractionIssueClosed,
  unanswered: InteractionUnanswered,
  run_ended: InteractionRunEnded,
} satisfies Record<keyof typeof expirySentences, unknown>;

/** How an interaction expires without a caller's decision. */
export type Expiry = keyof typeof outcomes;

export type NotPending =
  | InteractionAlreadyResolved
  | InteractionSuperseded
  | InteractionStaleTarget
  | InteractionIssueClosed
  | InteractionUnanswered
  | InteractionRunEnded;

/** Refuses to resolve an interaction that is not pending. */
export const refuseUnlessPending = ({
  id,
  status,
  result,
}: Pick<Interaction, "id" | "status" | "result">): NotPending | null => {
  if (status === "pending") return null;
  const outcome = (result?.outcome ?? result?.expirationReason) as Expiry | undefined;
  const details = { interactionId: id, status, result };
  return status === "expired" && outcome !== undefined && outcome in outcomes
    ? new outcomes[outcome](details)
    : new InteractionAlreadyResolved(details);
};

/** Kinds whose result says in `outcome` how they ended. */
const isYesOrNo = (kind: InteractionKind): boolean =>
  kind === "request_confirmation" || kind === "request_permission";

/** The result of an expired interaction. */
export const expiryResult = (
  kind: InteractionKind,
  reason: Expiry,
  more: Readonly<Record<string, unknown>> = {},
): InteractionResult => ({
  version: 1,
  ...(isYesOrNo(kind) ? { outcome: reason } : { expirationReason: reason }),
  ...more,
});

/** How a caller ends an interaction. */
export interface InteractionEnd {
  readonly status: Exclude<InteractionStatus, "pending" | "expired">;
  readonly result: InteractionResult;
  readonly by: Actor;
  readonly at: Instant;
}

/** Ends a pending interaction. */
export const resolve = (
  interaction: Interaction,
  { status, result, by, at }: InteractionEnd,
): Result.Result<Interaction, NotPending> => {
  const late = mayMove(interactionMoves, interaction.status, status)
    ? null
    : refuseUnlessPending(interaction);
  if (late !== null) return Result.fail(late);
  return Result.succeed({
    ...interaction,
    status,
    result,
    resolvedByAgentId: actingAgent(by),
    resolvedByUserId: actingUser(by),
    resolvedAt: at,
    updatedAt: at,
  });
};

/** Returns why an interaction is invalid beyond its schema, or null. */
export const payloadProblem = (interaction: InteractionContent): InteractionPayloadInvalid | null => {
  const problem = (path: readonly (string | number)[], message: string) =>
    new InteractionPayloadInvalid({ path: ["payload", ...path] }, message);
  if (interaction.kind === "suggest_tasks") {
    const { tasks } = interaction.payload;
    const at = new Map(tasks.map(({ clientKey }, index) => [clientKey, index]));
    for (const [index, { clientKey, parentClientKey, parentId }] of tasks.entries()) {
      if (at.get(clientKey) !== index)
        return problem(["tasks", index, "clientKey"], "Each task needs its own clientKey.");
      if (parentClientKey == null) continue;
      if (parentId != null)
        return problem(
          ["tasks", index, "parentId"],
          "A task can have parentClientKey or parentId, not both.",
        );
      if (!at.has(parentClientKey))
        return problem(["tasks", index, "parentClientKey"], "No task has this clientKey.");
    }
    if (inOrder(tasks).length < tasks.length) return problem(["tasks"], "The tasks' parents form a cycle.");
  }
  if (interaction.kind === "ask_user_questions") {
    const { questions } = interaction.payload;
    for (const [index, { id, options }] of questions.entries()) {
      if (questions.findIndex((other) => other.id === id) !== index)
        return problem(["questions", index, "id"], "Each question needs its own id.");
      if (new Set(options.map((option) => option.id)).size < options.length)
        return problem(["questions", index, "options"], "Each option needs its own id.");
    }
  }
  return null;
};

/** Sorts parents before children; tasks in a parent cycle are left out. */
const inOrder = (tasks: readonly SuggestedTask[]): readonly SuggestedTask[] => {
  const placed = new Set<string>();
  const order: SuggestedTask[] = [];
  for (let before = -1; before !== order.length; ) {
    before = order.length;
    for (const task of tasks)
      if (!placed.has(task.clientKey) && (task.parentClientKey == null || placed.has(task.parentClientKey))) {
        placed.add(task.clientKey);
        order.push(task);
      }
  }
  return order;
};

/** Returns the chosen tasks, parents first; all where none is named. A task's parent must be chosen too. */
export const chooseTasks = (
  { tasks }: SuggestTasks,
  selected: readonly string[] | undefined,
): Result.Result<readonly SuggestedTask[], InteractionAnswerInvalid> => {
  const known = new Set(tasks.map(({ clientKey }) => clientKey));
  const chosen = new Set(selected ?? known);
  for (const key of chosen)
    if (!known.has(key))
      return Result.fail(
        new InteractionAnswerInvalid(
          { path: ["selectedClientKeys"] },
          `The interaction has no task "${key}".`,
        ),
      );
  const picked = tasks.filter(({ clientKey }) => chosen.has(clientKey));
  for (const { clientKey, parentClientKey } of picked)
    if (parentClientKey != null && !chosen.has(parentClientKey))
      return Result.fail(
        new InteractionAnswerInvalid(
          { path: ["selectedClientKeys"] },
          `"${clientKey}" is a sub-issue of "${parentClientKey}", which isn't selected.`,
        ),
      );
  return Result.succeed(inOrder(picked));
};

/** Checks the reason of a rejection against what the interaction requires. */
export const rejectionOf = (
  interaction: Interaction,
  reason: string | undefined,
): Result.Result<InteractionResult, InteractionAnswerInvalid> => {
  const given = reason?.trim() === "" ? undefined : reason;
  if (!isYesOrNo(interaction.kind)) return Result.succeed({ version: 1, rejectionReason: given ?? null });
  return interaction.kind === "request_confirmation" &&
    interaction.payload.rejectRequiresReason &&
    given === undefined
    ? Result.fail(new InteractionAnswerInvalid({ path: ["reason"] }, "A reason is required."))
    : Result.succeed({ version: 1, outcome: "rejected", reason: given ?? null });
};

export interface Answer {
  readonly questionId: string;
  readonly optionIds: readonly string[];
  readonly otherText?: string | undefined;
}

/** Returns why the answers do not fit the questions, or null. */
export const answerProblem = (
  { questions }: AskUserQuestions,
  answers: readonly Answer[],
): InteractionAnswerInvalid | null => {
  const problem = (index: number, field: string, message: string) =>
    new InteractionAnswerInvalid({ path: ["answers", index, field] }, message);
  const answered = new Set<string>();
  for (const [index, { questionId, optionIds, otherText }] of answers.entries()) {
    const question = questions.find(({ id }) => id === questionId);
    if (question === undefined)
      return problem(index, "questionId", `The interaction has no question "${questionId}".`);
    if (answered.has(questionId))
      return problem(index, "questionId", `"${questionId}" is answered more than once.`);
    const unknown = optionIds.find((id) => !question.options.some((option) => option.id === id));
    if (unknown !== undefined)
      return problem(index, "optionIds", `Question "${questionId}" has no option "${unknown}".`);
    if (new Set(optionIds).size < optionIds.length)
      return problem(index, "optionIds", "An option is selected more than once.");
    const explains = question.options.some(({ id, freeText }) => freeText && optionIds.includes(id));
    const other = (otherText ?? "").trim() !== "";
    if (other && !question.allowOther && !explains)
      return problem(index, "otherText", `Question "${questionId}" doesn't accept other text.`);
    if (question.selectionMode === "single" && optionIds.length + (other && !explains ? 1 : 0) > 1)
      return problem(index, "optionIds", `Question "${questionId}" accepts only one option.`);
    if (optionIds.length > 0 || other) answered.add(questionId);
  }
  const missing = questions.find(({ id, required }) => required && !answered.has(id));
  return missing === undefined
    ? null
    : new InteractionAnswerInvalid({ path: ["answers"] }, `Question "${missing.id}" must be answered.`);
};

/** Whether two interactions ask the same; `undefined` and a missing field are equal. */
export const sameRequest = (a: Interaction, b: Interaction): boolean =>
  sameJson(
    [a.kind, a.title, a.summary, a.continuationPolicy, a.payload],
    [b.kind, b.title, b.summary, b.continuationPolicy, b.payload],
  );
