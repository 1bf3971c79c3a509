import type {
  AgentId,
  DocumentId,
  DocumentRevisionId,
  GoalId,
  IssueId,
  LabelId,
  ProjectId,
} from "../../shared/ids.ts";
import type { Priority } from "../issue-status.ts";

export interface SuggestedTask {
  /** How the tasks of the card name each other. */
  readonly clientKey: string;
  /** Becomes a child of that task of the card. */
  readonly parentClientKey?: string | null | undefined;
  /** Becomes a child of that issue. */
  readonly parentId?: IssueId | null | undefined;
  readonly title: string;
  readonly description?: string | null | undefined;
  readonly priority?: Priority | undefined;
  readonly assigneeAgentId?: AgentId | null | undefined;
  readonly projectId?: ProjectId | null | undefined;
  readonly goalId?: GoalId | null | undefined;
  readonly billingCode?: string | null | undefined;
  /** Labels of the company. One that is deleted before the card is accepted is left out. */
  readonly labels?: readonly LabelId[] | undefined;
  /** For who shows the card: a task too small to be listed at first. */
  readonly hiddenInPreview?: boolean | undefined;
}

export interface SuggestTasks {
  readonly version: 1;
  /** Where a task names no parent; the issue of the card where this is missing too. */
  readonly defaultParentId?: IssueId | null | undefined;
  readonly tasks: readonly SuggestedTask[];
}

export interface QuestionOption {
  readonly id: string;
  readonly label: string;
  readonly description?: string | undefined;
  /** Choosing it allows an answer in words beside it. */
  readonly freeText?: boolean | undefined;
}

export interface Question {
  readonly id: string;
  readonly prompt: string;
  readonly helpText?: string | undefined;
  readonly selectionMode: "single" | "multi";
  readonly required?: boolean | undefined;
  /** An answer in words is one too. */
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

/** The revision of a document that is to be confirmed: always the latest when the card is made. */
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

export type Card =
  | { readonly kind: "suggest_tasks"; readonly payload: SuggestTasks }
  | { readonly kind: "ask_user_questions"; readonly payload: AskUserQuestions }
  | { readonly kind: "request_confirmation"; readonly payload: RequestConfirmation };

/** Whether a human comment takes the place of an answer: only where the card says so. */
export const endsByComment = ({ kind, payload }: Card): boolean =>
  kind !== "suggest_tasks" && (payload.supersedeOnUserComment ?? false);
