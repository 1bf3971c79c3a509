import type { z } from "zod";
import type { AuthorityShape } from "../../api/approvals/approval-shapes.ts";
import { brief, type Paper, someone, status, strong, when } from "../print/cells.ts";
import { columns, list, type Printer, record } from "../print/printers.ts";
import { oneLine } from "../print/table.ts";
import { commentList } from "./comment-list.ts";

/** Names the subject of a request. */
const subjectOf = (payload: Readonly<Record<string, unknown>>, paper: Paper): string => {
  for (const key of ["name", "subject", "title", "summary"]) {
    const text = payload[key];
    if (typeof text === "string" && text.trim() !== "") return text;
  }
  return brief(payload, paper);
};
const marks = { passed: "✓", refused: "✗", not_reached: "·", not_applicable: "–" } as const;

/** Prints whether the caller may decide, with every check. */
const authorityReport = (report: z.output<typeof AuthorityShape>, { colors }: Paper): string => {
  const { allowed, refusal, acceptedProof, checks, policy, approveRequiresChosenOwner, approveRefusal } =
    report;
  const paint = {
    passed: colors.green,
    refused: colors.red,
    not_reached: colors.dim,
    not_applicable: colors.dim,
  };
  const verdict = allowed
    ? colors.green(`You may decide it, as ${acceptedProof?.replace("_", " ") ?? "nobody"}.`)
    : colors.red(`You may not decide it: ${refusal?.reason ?? ""} (${refusal?.error ?? ""})`);
  const lines = checks.map(
    ({ name, result, detail }) =>
      `  ${paint[result](`${marks[result]} ${name.replaceAll("_", " ")}`)}${detail === undefined ? "" : colors.dim(`  ${oneLine(detail)}`)}`,
  );
  const needs = `${policy.protection}; requires ${policy.requiredPermission ?? "no permission"}; decided by ${policy.accepts.join(", ").replaceAll("_", " ")}`;
  const refused =
    approveRefusal === null
      ? ""
      : `\n${colors.red(`It cannot be approved: ${approveRefusal.reason} (${approveRefusal.error})`)}`;
  return `${verdict}${refused}\n\n${lines.join("\n")}\n\n  ${colors.dim(needs)}\n${
    approveRequiresChosenOwner ? `  ${colors.dim("approve it with --chosen-owner")}\n` : ""
  }`;
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
