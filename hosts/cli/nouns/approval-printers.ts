import { brief, type Paper, someone, status, strong, when } from "../print/cells.ts";
import { columns, list, type Printer, record } from "../print/printers.ts";
import { authorityReport } from "./authority-report.ts";
import { commentList } from "./comment-list.ts";

/** Names the subject of a request. */
const subjectOf = (payload: Readonly<Record<string, unknown>>, paper: Paper): string => {
  for (const key of ["name", "subject", "title", "summary"]) {
    const text = payload[key];
    if (typeof text === "string" && text.trim() !== "") return text;
  }
  return brief(payload, paper);
};
export const approvalPrinters: readonly Printer[] = [
  columns(
    "ApprovalShape",
    { title: "APPROVAL", show: ({ id }) => id },
    { title: "TYPE", show: ({ type }) => type, grows: true },
    { title: "STATUS", show: (row, paper) => status(row.status, paper), grows: true },
    { title: "ABOUT", show: ({ payload }, paper) => strong(subjectOf(payload, paper), paper), grows: true },
    {
      title: "ASKED BY",
      show: ({ requestedByAgentId, requestedByUserId }, paper) =>
        someone(requestedByAgentId ?? requestedByUserId, paper),
      grows: 8,
      goes: 1,
    },
    { title: "ASKED", show: when("createdAt"), goes: 2 },
  ),
  columns(
    "GrantShape",
    { title: "GRANT", show: ({ id }) => id },
    { title: "AGENT", show: ({ agentId }, paper) => someone(agentId, paper), grows: 8 },
    {
      title: "MAY",
      show: ({ permission, classes }) =>
        [permission, classes.join(", ")].filter((part) => part !== "").join(" "),
      grows: 20,
    },
    { title: "BY", show: ({ grantedByUserId }, paper) => someone(grantedByUserId, paper), grows: 8, goes: 1 },
    { title: "REVOKED", show: when("revokedAt") },
  ),

  record("AuthorityShape", authorityReport),
  list("ApprovalCommentShape", commentList),
];
