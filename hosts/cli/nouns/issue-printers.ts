import { shortId, status, strong } from "../print/cells.ts";
import { authorColumn, columns, list, type Printer } from "../print/printers.ts";
import { changesReport, runChangesReport } from "./changes-report.ts";
import { commentList } from "./comment-list.ts";

/** Returns what an interaction without a title asks. */
const asked = (payload: Readonly<Record<string, unknown>>): string => {
  const listed = (name: string, field: string): string =>
    ((payload[name] ?? []) as readonly Readonly<Record<string, string>>[])
      .map((each) => each[field])
      .join("; ");
  return String(payload.prompt ?? (listed("questions", "prompt") || listed("tasks", "title")));
};

export const issuePrinters: readonly Printer[] = [
  columns(
    "IssueShape",
    { field: "identifier", title: "ISSUE" },
    "title",
    "status",
    "priority",
    { field: ["assigneeAgentId", "assigneeUserId"] },
    { field: "lastActivityAt", title: "ACTIVITY" },
  ),
  columns(
    "IssueRowShape",
    { field: "identifier", title: "ISSUE" },
    "title",
    { field: ["doneAs", "status"], title: "STATUS" },
    "priority",
    { field: ["assigneeAgentId", "assigneeUserId"] },
    { field: "lastActivityAt", title: "ACTIVITY" },
  ),
  columns(
    "ChangedIssueShape",
    {
      title: "ISSUE",
      show: ({ issueId, issue }, paper) => strong(issue?.identifier ?? shortId(issueId), paper),
    },
    { title: "STATUS", show: ({ issue }, paper) => status(issue?.status ?? "refused", paper) },
    { title: "WHY", show: ({ refusal }) => refusal?.error ?? "", grows: true },
  ),
  columns(
    "IssueHitShape",
    { field: "identifier", title: "ISSUE" },
    "title",
    "status",
    { field: "matchedIn", title: "IN" },
    "excerpt",
  ),
  columns(
    "ShownInteractionShape",
    { field: "kind", grows: true },
    "status",
    {
      title: "ASKS",
      show: (interaction) => interaction.title ?? interaction.summary ?? asked(interaction.payload),
      grows: true,
    },
    authorColumn,
    { field: "createdAt", goes: 2 },
    "id",
  ),
  columns(
    "DocumentShape",
    { field: "key", strong: true },
    "title",
    { field: "latestRevisionNumber", title: "REVISION" },
    { field: "updatedAt", goes: 1 },
    { field: "latestRevisionId", title: "REVISION ID" },
  ),
  columns(
    "DocumentRevisionShape",
    { field: "revisionNumber", title: "REVISION" },
    { field: ["changeSummary", "title"], title: "SUMMARY", grows: true },
    authorColumn,
    "createdAt",
    "id",
  ),
  columns(
    "AttachmentShape",
    { field: "originalFilename", title: "FILE", strong: true, grows: true },
    { field: "contentType", title: "TYPE", grows: true, goes: 2 },
    { field: "byteSize", title: "BYTES" },
    authorColumn,
    { field: "createdAt", goes: 3 },
    "id",
  ),
  columns("WatcherShape", "name", { field: "watchingSince", title: "SINCE" }, "userId"),
  columns(
    "CommentRevisionShape",
    { field: "replacedAt", title: "UNTIL" },
    { field: "body", title: "TEXT", grows: true },
  ),
  list("IssueChangesShape", changesReport),
  list("RunChangesShape", runChangesReport),
  list("CommentShape", commentList),
  list("NamedCommentShape", commentList),
  list("LineCommentShape", commentList),
];
