import { ActivityShape } from "../../api/activity/activity-shapes.ts";
import { AdapterShape, DetectedModelShape } from "../../api/adapters/adapter-shapes.ts";
import {
  AgentConfigRevisionShape,
  AgentDetailShape,
  AgentKeyShape,
  AgentShape,
  AgentShownShape,
  OrgNode,
  SkillsShape,
} from "../../api/agents/agent-shapes.ts";
import { ApprovalCommentShape, ApprovalShape, AuthorityShape } from "../../api/approvals/approval-shapes.ts";
import { GrantShape } from "../../api/approvals/grant-shapes.ts";
import {
  BoardTokenShape,
  BoardUserShape,
  MemberShape,
  PersonShape,
  SavedViewShape,
  WebSessionShape,
} from "../../api/board/board-shapes.ts";
import { CompanyShape, PulseShape } from "../../api/companies/company-shapes.ts";
import {
  AppliedTemplateShape,
  ImportedCompanyShape,
  ShippedTemplateShape,
} from "../../api/companies/template-shapes.ts";
import {
  AgentCostsShape,
  AgentDayCostsShape,
  CostEventShape,
  CostSummaryShape,
  DayCostsShape,
  IssueCostsShape,
  ProjectCostsShape,
  ProviderCostsShape,
  UsageWindowShape,
} from "../../api/costs/cost-shapes.ts";
import { GoalShape } from "../../api/goals/goal-shapes.ts";
import { InboxEntryShape } from "../../api/inbox/inbox-shapes.ts";
import { AttachmentShape } from "../../api/issues/attachment-shapes.ts";
import { IssueChangesShape, RunChangesShape } from "../../api/issues/change-shapes.ts";
import { DocumentRevisionShape, DocumentShape } from "../../api/issues/document-shapes.ts";
import { ShownInteractionShape } from "../../api/issues/interaction-shapes.ts";
import {
  ChangedIssueShape,
  CommentRevisionShape,
  CommentShape,
  IssueHitShape,
  IssueRowShape,
  IssueShape,
  LineCommentShape,
  NamedCommentShape,
} from "../../api/issues/issue-shapes.ts";
import { PullRequestShape } from "../../api/issues/pull-request-shapes.ts";
import { WatcherShape } from "../../api/issues/watcher-shapes.ts";
import { McpServerOfAgentShape, McpServerShape } from "../../api/mcp-servers/mcp-server-shapes.ts";
import { NamedGateShape } from "../../api/projects/gate-shapes.ts";
import { ProjectShape } from "../../api/projects/project-shapes.ts";
import { RepositoryShape } from "../../api/projects/repository-shapes.ts";
import {
  CompanyNextFireShape,
  NextFireShape,
  RoutineRevisionShape,
  RoutineRunShape,
  RoutineShape,
} from "../../api/routines/routine-shapes.ts";
import { RunnerShape } from "../../api/runners/runner-shapes.ts";
import {
  InvocationShape,
  LogShape,
  RunDetailShape,
  RunEventShape,
  RunMessageShape,
  RunShape,
  TranscriptShape,
} from "../../api/runs/run-shapes.ts";
import { AccessEventShape, SecretShape, SecretVersionShape } from "../../api/secrets/secret-shapes.ts";
import { VaultShape } from "../../api/secrets/vault-shapes.ts";
import { VolumeShape } from "../../api/volumes/volume-shapes.ts";
import { IssueWorkspaceShape, WorkspaceCommandShape } from "../../api/workspaces/workspace-shapes.ts";

/** The shapes that have a printer, by name. It imports the schemas: printers take its type only. */
export const shapes = {
  AccessEventShape,
  ActivityShape,
  AdapterShape,
  AgentConfigRevisionShape,
  AgentCostsShape,
  AgentDetailShape,
  AgentKeyShape,
  AgentShape,
  AgentShownShape,
  AppliedTemplateShape,
  ApprovalCommentShape,
  ApprovalShape,
  AttachmentShape,
  AuthorityShape,
  BoardTokenShape,
  SavedViewShape,
  WebSessionShape,
  BoardUserShape,
  ChangedIssueShape,
  CommentRevisionShape,
  CommentShape,
  LineCommentShape,
  CompanyNextFireShape,
  CompanyShape,
  CostEventShape,
  CostSummaryShape,
  AgentDayCostsShape,
  DayCostsShape,
  DetectedModelShape,
  DocumentRevisionShape,
  DocumentShape,
  GoalShape,
  GrantShape,
  ImportedCompanyShape,
  InboxEntryShape,
  ShownInteractionShape,
  InvocationShape,
  IssueChangesShape,
  RunChangesShape,
  IssueCostsShape,
  IssueHitShape,
  IssueRowShape,
  IssueShape,
  LogShape,
  MemberShape,
  NamedCommentShape,
  NextFireShape,
  OrgNode,
  PersonShape,
  ProjectCostsShape,
  NamedGateShape,
  ProjectShape,
  McpServerOfAgentShape,
  McpServerShape,
  IssueWorkspaceShape,
  PullRequestShape,
  WorkspaceCommandShape,
  RepositoryShape,
  ProviderCostsShape,
  UsageWindowShape,
  PulseShape,
  RoutineRevisionShape,
  RoutineRunShape,
  RoutineShape,
  RunDetailShape,
  RunEventShape,
  RunMessageShape,
  RunShape,
  RunnerShape,
  SecretShape,
  SecretVersionShape,
  ShippedTemplateShape,
  SkillsShape,
  TranscriptShape,
  VaultShape,
  VolumeShape,
  WatcherShape,
};

export type Shapes = typeof shapes;
export type ShapeName = keyof Shapes;
