import type { z } from "zod";
import type { AuthorityShape } from "../../api/approvals/approval-shapes.ts";
import { brief, type Paper, strong } from "../print/cells.ts";
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
    { field: "id", title: "APPROVAL" },
    { field: "type", grows: true },
    { field: "status", grows: true },
    { title: "ABOUT", show: ({ payload }, paper) => strong(subjectOf(payload, paper), paper), grows: true },
    { field: ["requestedByAgentId", "requestedByUserId"], goes: 1 },
    { field: "createdAt", goes: 2 },
  ),
  columns(
    "GrantShape",
    { field: "id", title: "GRANT" },
    "agentId",
    {
      title: "MAY",
      show: ({ permission, classes }) =>
        [permission, classes.join(", ")].filter((part) => part !== "").join(" "),
      grows: 20,
    },
    { field: "grantedByUserId", title: "BY", goes: 1 },
    "revokedAt",
  ),

  record("AuthorityShape", authorityReport),
  list("ApprovalCommentShape", commentList),
];
