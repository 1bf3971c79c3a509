import type { z } from "zod";
import type { IssueRowShape } from "../../api/issues/issue-shapes.ts";
import { shortId, someone, status, strong, urgency, when } from "../print/cells.ts";
import { authorColumn, type Column, columns, idColumn, list, type Printer } from "../print/printers.ts";
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

type IssueRow = z.output<typeof IssueRowShape>;

const issueColumns: readonly Column<Omit<IssueRow, "doneAs">>[] = [
  { title: "ISSUE", show: ({ identifier }, paper) => strong(identifier, paper) },
  { title: "TITLE", show: ({ title }) => title, grows: true },
  { title: "STATUS", show: (row, paper) => status(row.status, paper) },
  { title: "PRIORITY", show: ({ priority }, paper) => urgency(priority, paper) },
  {
    title: "ASSIGNEE",
    show: ({ assigneeAgentId, assigneeUserId }, paper) => someone(assigneeAgentId ?? assigneeUserId, paper),
    grows: 8,
  },
  { title: "ACTIVITY", show: when("lastActivityAt") },
];

const issueRowColumns: readonly Column<IssueRow>[] = issueColumns.map((column) =>
  column.title === "STATUS"
    ? { ...column, show: ({ doneAs, ...row }, paper) => status(doneAs ?? row.status, paper) }
    : column,
);

export const issuePrinters: readonly Printer[] = [
  columns("IssueShape", ...issueColumns),
  columns("IssueRowShape", ...issueRowColumns),
  columns(
    "ChangedIssueShape",
    {
      title: "ISSUE",
      show: ({ issueId, issue }, paper) => strong(issue?.identifier ?? shortId(issueId), paper),
    },
    {
      title: "STATUS",
      show: ({ issue }, paper) => (issue === null ? { text: "refused" } : status(issue.status, paper)),
    },
    { title: "WHY", show: ({ refusal }) => refusal?.error ?? "", grows: true },
  ),
  columns(
    "IssueHitShape",
    { title: "ISSUE", show: ({ identifier }, paper) => strong(identifier, paper) },
    { title: "TITLE", show: ({ title }) => title, grows: true },
    { title: "STATUS", show: (row, paper) => status(row.status, paper) },
    { title: "IN", show: ({ matchedIn }) => matchedIn },
    { title: "EXCERPT", show: ({ excerpt }) => excerpt, grows: true },
  ),
  columns(
    "ShownInteractionShape",
    { title: "KIND", show: ({ kind }) => kind, grows: true },
    { title: "STATUS", show: (row, paper) => status(row.status, paper) },
    {
      title: "ASKS",
      show: (interaction) => interaction.title ?? interaction.summary ?? asked(interaction.payload),
      grows: true,
    },
    authorColumn,
    { title: "CREATED", show: when("createdAt"), goes: 2 },
    idColumn,
  ),
  columns(
    "DocumentShape",
    { title: "KEY", show: ({ key }, paper) => strong(key, paper) },
    { title: "TITLE", show: ({ title }) => title ?? "", grows: true },
    { title: "REVISION", show: ({ latestRevisionNumber }) => String(latestRevisionNumber) },
    { title: "UPDATED", show: when("updatedAt"), goes: 1 },
    { title: "REVISION ID", show: ({ latestRevisionId }) => latestRevisionId },
  ),
  columns(
    "DocumentRevisionShape",
    { title: "REVISION", show: ({ revisionNumber }) => String(revisionNumber) },
    { title: "SUMMARY", show: ({ changeSummary, title }) => changeSummary ?? title ?? "", grows: true },
    authorColumn,
    { title: "CREATED", show: when("createdAt") },
    idColumn,
  ),
  columns(
    "AttachmentShape",
    {
      title: "FILE",
      show: ({ originalFilename }, paper) => strong(originalFilename ?? "–", paper),
      grows: true,
    },
    { title: "TYPE", show: ({ contentType }) => contentType, grows: true, goes: 2 },
    { title: "BYTES", show: ({ byteSize }) => String(byteSize) },
    authorColumn,
    { title: "CREATED", show: when("createdAt"), goes: 3 },
    idColumn,
  ),
  columns(
    "WatcherShape",
    { title: "WATCHER", show: ({ name }, paper) => strong(name, paper), grows: true },
    { title: "SINCE", show: when("watchingSince") },
    { title: "USER ID", show: ({ userId }) => userId },
  ),
  columns(
    "CommentRevisionShape",
    { title: "UNTIL", show: when("replacedAt") },
    { title: "TEXT", show: ({ body }) => body, grows: true },
  ),
  list("IssueChangesShape", changesReport),
  list("RunChangesShape", runChangesReport),
  list("CommentShape", commentList),
  list("NamedCommentShape", commentList),
  list("LineCommentShape", commentList),
];
