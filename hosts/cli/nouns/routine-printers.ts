import { someone, status, strong, when } from "../print/cells.ts";
import { columns, type Printer } from "../print/printers.ts";

export const routinePrinters: readonly Printer[] = [
  columns(
    "RoutineShape",
    { title: "ROUTINE", show: ({ id }) => id },
    { title: "TITLE", show: ({ title }, paper) => strong(title, paper), grows: true },
    { title: "STATUS", show: (row, paper) => status(row.status, paper) },
    {
      title: "ASSIGNEE",
      show: ({ assigneeAgentId }, paper) => someone(assigneeAgentId, paper),
      grows: 8,
      goes: 1,
    },
    {
      title: "FIRED BY",
      grows: 8,
      show: ({ triggers }) =>
        triggers
          .filter(({ enabled }) => enabled)
          .map(({ kind, cronExpression }) => cronExpression ?? kind)
          .join(", ") || "hand",
    },
    {
      title: "LAST RESULT",
      show: ({ lastResult }, paper) => (lastResult === null ? "–" : status(lastResult.status, paper)),
      goes: 3,
    },
    { title: "LAST FIRED", show: when("lastTriggeredAt"), goes: 2 },
  ),
  columns(
    "RoutineRunShape",
    { title: "RUN", show: ({ id }) => id },
    { title: "BY", show: ({ source }) => source, goes: 1 },
    { title: "STATUS", show: (row, paper) => status(row.status, paper) },
    { title: "ISSUE", show: ({ linkedIssue }) => linkedIssue?.identifier ?? "–" },
    { title: "WHY NOT", show: ({ failureReason }) => failureReason ?? "", grows: true, goes: 2 },
    { title: "FIRED", show: when("triggeredAt") },
  ),
  columns(
    "RoutineRevisionShape",
    { title: "REVISION", show: ({ id }) => id },
    { title: "NO.", show: ({ revisionNumber }) => String(revisionNumber) },
    { title: "WHAT", show: ({ changeSummary }) => changeSummary, grows: true },
    {
      title: "BY",
      show: ({ createdByAgentId, createdByUserId }, paper) =>
        someone(createdByAgentId ?? createdByUserId, paper),
      grows: 8,
      goes: 1,
    },
    { title: "WHEN", show: when("createdAt") },
  ),
  columns(
    "CompanyNextFireShape",
    { title: "AT", show: ({ scheduledFor }) => scheduledFor },
    { title: "ROUTINE", show: ({ routineTitle }, paper) => strong(routineTitle, paper), grows: true },
    { title: "ZONE", show: ({ timezone }) => timezone, goes: 1 },
    { title: "TRIGGER", show: ({ triggerId }) => triggerId },
  ),
  columns(
    "NextFireShape",
    { title: "AT", show: ({ scheduledFor }) => scheduledFor },
    { title: "TRIGGER", show: ({ triggerId }) => triggerId },
  ),
];
