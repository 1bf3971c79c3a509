import { type Actor, actingUser } from "../../access/caller.ts";
import { type CommentLocation, withLocation } from "../../issues/comments/comment-location.ts";
import type {
  AgentId,
  CommentId,
  CompanyId,
  IssueId,
  RunId,
  RunMessageId,
  UserId,
} from "../../shared/ids.ts";
import type { Instant } from "../../shared/instant.ts";
import type { Moves } from "../../shared/moves.ts";
import type { Run } from "../run.ts";
import type { RunEnd } from "../run-status.ts";

export const messageStates = ["sent", "queued", "injected", "new_run"] as const;
/** A run passes on to the next one the messages that its program did not get. */
export const openMessageStates = [
  "sent",
  "queued",
] as const satisfies readonly (typeof messageStates)[number][];
export type MessageState = (typeof messageStates)[number];

export const messageMoves = {
  sent: {
    queued: "queued until the current step ends",
    injected: "delivered while it worked",
    new_run: "the run can't receive messages, or ended before delivery was confirmed",
  },
  queued: { new_run: "the run ended before delivery" },
  injected: {},
  new_run: {},
} satisfies Moves<MessageState>;

/**
 * A message from a person to a working run. Each has a wake, which ends when the message is delivered to the run's program:
 * whatever happens to the run, one of the two delivers it.
 */
export interface RunMessage {
  readonly id: RunMessageId;
  readonly companyId: CompanyId;
  readonly runId: RunId;
  readonly agentId: AgentId;
  readonly issueId: IssueId | null;
  /** null: the text of the comment. */
  readonly body: string | null;
  readonly commentId: CommentId | null;
  readonly authorUserId: UserId | null;
  readonly state: MessageState;
  /** When the service gave it to the run's adapter. */
  readonly sentAt: Instant | null;
  /** When the run's program received it, or when the next run adopted it. */
  readonly deliveredAt: Instant | null;
  readonly createdAt: Instant;
}

/** A message to a live run. A run that accepts none passes it on to the next run at once. */
export const messageTo = (
  run: Pick<Run, "id" | "companyId" | "agentId" | "issueId" | "status" | "takesMessages" | "stopRequestedAt">,
  {
    by,
    at,
    ...sent
  }: Pick<RunMessage, "id" | "body" | "commentId"> & { readonly by: Actor; readonly at: Instant },
): RunMessage => ({
  ...sent,
  companyId: run.companyId,
  runId: run.id,
  agentId: run.agentId,
  issueId: run.issueId,
  authorUserId: actingUser(by),
  state: run.status === "running" && run.takesMessages && run.stopRequestedAt === null ? "sent" : "new_run",
  sentAt: null,
  deliveredAt: null,
  createdAt: at,
});

/** A message as a program gets it. */
export interface SentMessage {
  readonly id: RunMessageId;
  readonly commentId: CommentId | null;
  readonly authorName: string;
  readonly body: string;
  /** Of a comment on lines. */
  readonly location: CommentLocation | null;
}

/**
 * The ends of runs after which it is unknown whether the messages they adopted were received: the next run gets them too, and
 * says that they may be repeated.
 */
export const endsInDoubt = ["interrupted"] as const satisfies readonly RunEnd[];

/**
 * Whether a run that ends passes on the messages it adopted, because nobody received its prompt. `prompted`: there was a
 * session, a program without sessions had started, or a request was sent.
 */
export const isReturned = (end: RunEnd, prompted: boolean): boolean =>
  !prompted && end !== "succeeded" && !(endsInDoubt as readonly RunEnd[]).includes(end);

/** The text for the model. */
export const textOfMessage = ({ authorName, body, commentId, location }: SentMessage): string =>
  `${authorName} ${commentId === null ? "says" : "has commented on your issue"}:\n\n${withLocation(body, location)}`;

/** Limit of a message in a prompt. */
export const maxMessage = 20_000;

/** A message that a run adopts from an earlier one. */
export interface ResumedMessage extends SentMessage {
  /** An earlier run delivered it to its program during a turn. */
  readonly wasSent: boolean;
  /** An earlier run may have received it. */
  readonly mayBeRepeated: boolean;
  /** An earlier run with this adapter accepted messages: the adapter asks the session whether it has them. */
  readonly adapterAsks: boolean;
}

/** Whether the run's adapter looks for the message in its session, which has it verbatim or not at all. */
export const isAskedFor = (message: ResumedMessage): boolean =>
  message.mayBeRepeated &&
  message.adapterAsks &&
  (message.wasSent || (message.commentId === null && textOfMessage(message).length <= maxMessage));

/** The text for the model in a prompt. */
export const textInPrompt = (message: ResumedMessage): string =>
  message.mayBeRepeated ? mayHaveIt + textOfMessage(message) : textOfMessage(message);

const mayHaveIt =
  "You may have received this message already, because your last run was cut off. If so, don't act on it twice.\n";
