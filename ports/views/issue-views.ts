import type * as Effect from "effect/Effect";
import type { Goal } from "../../core/model/goals/goal.ts";
import type { Comment, CommentNotFound } from "../../core/model/issues/comments/comment.ts";
import type { CommentLocation } from "../../core/model/issues/comments/comment-location.ts";
import type { Document } from "../../core/model/issues/documents/document.ts";
import type { DoneAs } from "../../core/model/issues/done-as.ts";
import type { Issue, IssueNotFound } from "../../core/model/issues/issue.ts";
import type { IssueFacts } from "../../core/model/issues/issue-actions.ts";
import type { IssueOrder } from "../../core/model/issues/issue-order.ts";
import type { IssueStatus, Priority } from "../../core/model/issues/issue-status.ts";
import type { Label, LabelNotFound } from "../../core/model/labels/label.ts";
import type {
  AgentId,
  CommentId,
  CommentRevisionId,
  CompanyId,
  GoalId,
  IssueId,
  LabelId,
  ProjectId,
  UserId,
} from "../../core/model/shared/ids.ts";
import type { Instant } from "../../core/model/shared/instant.ts";
import type { CursorInvalid, JsonText, Page, PageRequest } from "./page.ts";
import type { ProjectFacts } from "./planning-views.ts";
import type { DocumentSummary } from "./thread-views.ts";

/** An issue as lists show it. */
export interface IssueView extends Issue {
  /** By name. */
  readonly labels: readonly Label[];
}

/** An issue in a list; a slim one has no description. */
export interface ListedIssue extends Omit<IssueView, "description"> {
  readonly description?: string | null;
  /** The same as startedAt, as the specification names it. */
  readonly started_at: Instant | null;
  /** The same as completedAt. */
  readonly completed_at: Instant | null;
  readonly doneAs: DoneAs | null;
}

export interface IssueReference {
  readonly id: IssueId;
  readonly identifier: string;
  readonly title: string;
  readonly status: IssueStatus;
}

export interface IssueAncestor
  extends Pick<
    Issue,
    | "id"
    | "identifier"
    | "title"
    | "description"
    | "status"
    | "priority"
    | "assigneeAgentId"
    | "assigneeUserId"
    | "projectId"
    | "goalId"
  > {
  readonly project: ProjectFacts | null;
  readonly goal: Goal | null;
}

/** The facts around an issue on which the actions on it depend. */
export interface IssueContext
  extends Pick<
    IssueFacts,
    | "mergeGrants"
    | "unmergedIn"
    | "reviewers"
    | "workers"
    | "holderIsActive"
    | "assignee"
    | "companyStatus"
    | "companyHeldByBudgetAt"
    | "projectHeldByBudgetAt"
  > {
  readonly hasGates: boolean;
}

/** An issue with the facts for `issueActions`, which no caller sees. Both are the reader's own, to add to. */
export interface IssueInDetail extends Pick<Issue, "id" | "companyId"> {
  readonly issue: IssueDetailView;
  readonly related: IssueContext;
}

export interface IssueDetailView extends IssueView {
  /** The person to whom it is assigned. */
  readonly assigneeUser: { readonly id: UserId; readonly name: string } | null;
  readonly project: ProjectFacts | null;
  readonly goal: Goal | null;
  /** Nearest first, at most 50. */
  readonly ancestors: readonly IssueAncestor[];
  readonly blockedBy: readonly IssueReference[];
  readonly blocks: readonly IssueReference[];
  /** The document of the key `plan`. */
  readonly planDocument: Document | null;
  /** By key. */
  readonly documentSummaries: readonly DocumentSummary[];
}

export interface CommentView extends Comment {
  readonly authorName: string;
}

/** An earlier text of an edited comment. */
export interface CommentRevisionView {
  readonly id: CommentRevisionId;
  readonly commentId: CommentId;
  readonly body: string;
  readonly replacedAt: Instant;
}

export interface WatcherView {
  readonly userId: UserId;
  readonly name: string;
  readonly watchingSince: Instant;
}

/** Selects issues: all given conditions must hold. */
export interface IssueFilter {
  readonly companyId: CompanyId;
  readonly statuses?: readonly IssueStatus[] | undefined;
  /** null: issues that are assigned to nobody. */
  readonly assigneeAgentId?: AgentId | null | undefined;
  readonly assigneeUserId?: UserId | undefined;
  readonly createdByAgentId?: AgentId | undefined;
  readonly createdByUserId?: UserId | undefined;
  readonly projectId?: ProjectId | undefined;
  readonly goalId?: GoalId | undefined;
  readonly parentId?: IssueId | undefined;
  /** Issues that have all of these labels. */
  readonly labelIds?: readonly LabelId[] | undefined;
  readonly priorities?: readonly Priority[] | undefined;
  /** Done in that way: of `statuses` only done counts. */
  readonly doneAs?: DoneAs | undefined;
  /** Their last activity, such as a change or a comment, is from then on. */
  readonly updatedSince?: Instant | undefined;
  /** Words in title, description, comments or documents; or an identifier. */
  readonly q?: string | undefined;
}

/** How a list of issues is read. */
export interface IssueListing extends IssueFilter {
  readonly sort: IssueOrder;
  /** Without descriptions. */
  readonly slim?: boolean | undefined;
}

export interface Progress {
  readonly id: ProjectId | GoalId;
  readonly counts: Readonly<Record<IssueStatus, number>>;
  /** Of those that are done. */
  readonly done: Readonly<Record<DoneAs, number>>;
}

export interface AskedProgress {
  readonly companyId: CompanyId;
  readonly by: "project" | "goal";
  readonly id?: ProjectId | GoalId | undefined;
  /** Of projects or goals. */
  readonly limit: number;
}

export interface IssueViews {
  count(filter: IssueFilter): Effect.Effect<number>;
  /** The issues of each project or goal that has any, counted by status: of the newest ones, or of the one with the id. */
  progress(asked: AskedProgress): Effect.Effect<readonly Progress[]>;
  /** By name. */
  labels(companyId: CompanyId): Effect.Effect<readonly Label[]>;
  label(id: LabelId): Effect.Effect<Label, LabelNotFound>;
  list(listing: IssueListing, page: PageRequest): Effect.Effect<Page<JsonText<ListedIssue>>, CursorInvalid>;
  get(id: IssueId): Effect.Effect<IssueInDetail, IssueNotFound>;
  /** `order` desc: newest first. */
  comments(
    issueId: IssueId,
    order: "asc" | "desc",
    page: PageRequest,
  ): Effect.Effect<Page<CommentView>, CursorInvalid>;
  /** Those on lines of the issue's changes that are not deleted, newest first. */
  lineComments(
    issueId: IssueId,
    page: PageRequest,
  ): Effect.Effect<Page<CommentView & { readonly location: CommentLocation }>, CursorInvalid>;
  comment(id: CommentId): Effect.Effect<Comment, CommentNotFound>;
  /** Newest first; none for a deleted comment. */
  commentRevisions(
    issueId: IssueId,
    commentId: CommentId,
    page: PageRequest,
  ): Effect.Effect<Page<CommentRevisionView>, CommentNotFound | CursorInvalid>;
  /** Those who still have access to its company, by name. */
  watchers(id: IssueId): Effect.Effect<readonly WatcherView[]>;
}
