import { status } from "../print/cells.ts";
import { authorColumn, columns, type Printer } from "../print/printers.ts";

export const routinePrinters: readonly Printer[] = [
  columns(
    "RoutineShape",
    { field: "id", title: "ROUTINE" },
    "title",
    "status",
    { field: "assigneeAgentId", goes: 1 },
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
    { field: "lastTriggeredAt", title: "LAST FIRED", goes: 2 },
  ),
  columns(
    "RoutineRunShape",
    { field: "id", title: "RUN" },
    { field: "source", goes: 1 },
    "status",
    { title: "ISSUE", show: ({ linkedIssue }) => linkedIssue?.identifier ?? "–" },
    { field: "failureReason", title: "WHY NOT", grows: true, goes: 2 },
    { field: "triggeredAt", title: "FIRED" },
  ),
  columns(
    "RoutineRevisionShape",
    { field: "id", title: "REVISION" },
    { field: "revisionNumber", title: "NO." },
    { field: "changeSummary", title: "WHAT", grows: true },
    authorColumn,
    "createdAt",
  ),
  columns(
    "CompanyNextFireShape",
    "scheduledFor",
    { field: "routineTitle", title: "ROUTINE", strong: true, grows: true },
    { field: "timezone", goes: 1 },
    "triggerId",
  ),
  columns("NextFireShape", "scheduledFor", "triggerId"),
];
