import type {
  AgentId,
  DocumentId,
  DocumentRevisionId,
  GoalId,
  IssueId,
  LabelId,
  ProjectId,
  UserId,
} from "../../shared/ids.ts";
import type { Instant } from "../../shared/instant.ts";
import type { Priority } from "../issue-status.ts";

export interface SuggestedTask {
  /** The key by which tasks of the interaction refer to each other. */
  readonly clientKey: string;
  /** The task of the interaction that becomes its parent. */
  readonly parentClientKey?: string | null | undefined;
  /** The issue that becomes its parent. */
  readonly parentId?: IssueId | null | undefined;
  readonly title: string;
  readonly description?: string | null | undefined;
  readonly priority?: Priority | undefined;
  readonly assigneeAgentId?: AgentId | null | undefined;
  readonly assigneeUserId?: UserId | null | undefined;
  readonly projectId?: ProjectId | null | undefined;
  readonly goalId?: GoalId | null | undefined;
  readonly billingCode?: string | null | undefined;
  /** Labels of the company. Those deleted before acceptance are omitted. */
  readonly labels?: readonly LabelId[] | undefined;
  /** For display: a task too small to be listed at first. */
  readonly hiddenInPreview?: boolean | undefined;
}

export interface SuggestTasks {
  readonly version: 1;
  /** The parent of tasks that name none; default: the interaction's issue. */
  readonly defaultParentId?: IssueId | null | undefined;
  readonly tasks: readonly SuggestedTask[];
}

export interface QuestionOption {
  readonly id: string;
  readonly label: string;
  readonly description?: string | undefined;
  /** Choosing it allows a free-text answer too. */
  readonly freeText?: boolean | undefined;
}

export interface Question {
  readonly id: string;
  readonly prompt: string;
  readonly helpText?: string | undefined;
  readonly selectionMode: "single" | "multi";
  readonly required?: boolean | undefined;
  /** Whether a free-text answer is allowed. */
  readonly allowOther?: boolean | undefined;
  readonly options: readonly QuestionOption[];
}

export interface AskUserQuestions {
  readonly version: 1;
  readonly title?: string | undefined;
  readonly submitLabel?: string | undefined;
  readonly supersedeOnUserComment?: boolean | undefined;
  readonly questions: readonly Question[];
}

/** The revision of a document to confirm; always the latest when the interaction is created. */
export interface DocumentTarget {
  readonly type: "issue_document";
  readonly issueId?: IssueId | undefined;
  readonly documentId?: DocumentId | undefined;
  readonly key: string;
  readonly revisionId: DocumentRevisionId;
  readonly revisionNumber?: number | undefined;
  readonly label?: string | undefined;
  readonly href?: string | undefined;
}

export interface CustomTarget {
  readonly type: "custom";
  readonly key: string;
  readonly revisionId?: string | undefined;
  readonly revisionNumber?: number | undefined;
  readonly label?: string | undefined;
  readonly href?: string | undefined;
}

export interface RequestConfirmation {
  readonly version: 1;
  readonly prompt: string;
  readonly acceptLabel?: string | undefined;
  readonly rejectLabel?: string | undefined;
  readonly rejectRequiresReason?: boolean | undefined;
  readonly rejectReasonLabel?: string | undefined;
  readonly allowDeclineReason?: boolean | undefined;
  readonly declineReasonPlaceholder?: string | undefined;
  readonly detailsMarkdown?: string | undefined;
  readonly supersedeOnUserComment?: boolean | undefined;
  readonly target?: DocumentTarget | CustomTarget | null | undefined;
}

/** A use of a tool that a run's program asks for. Secrets of the run are masked, and characters that show nothing are spelled out. */
export interface RequestPermission {
  readonly version: 1;
  /** The program's name of the tool. */
  readonly tool: string;
  readonly command: string | null;
  readonly path: string | null;
  /** The change of a file: lines with " ", "+" or "-" before them. */
  readonly diff: string | null;
  readonly reason: string | null;
  /** Whether tool, command and path are shown exactly as the program gave them: only then the same can be allowed for longer. */
  readonly repeatable?: boolean;
  /** Unanswered by then, it counts as denied. ISO 8601. */
  readonly expiresAt: Instant;
}

/** The content of an interaction that a caller makes. */
export type AskedContent =
  | { readonly kind: "suggest_tasks"; readonly payload: SuggestTasks }
  | { readonly kind: "ask_user_questions"; readonly payload: AskUserQuestions }
  | { readonly kind: "request_confirmation"; readonly payload: RequestConfirmation };

export type InteractionContent =
  | AskedContent
  | { readonly kind: "request_permission"; readonly payload: RequestPermission };

/** Whether a human comment replaces an answer; only where the interaction allows it. */
export const endsByComment = ({ kind, payload }: AskedContent): boolean =>
  kind !== "suggest_tasks" && (payload.supersedeOnUserComment ?? false);
