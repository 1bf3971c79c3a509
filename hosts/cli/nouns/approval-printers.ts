import type { z } from "zod";
import {
  ApprovalShape,
  type AuthorityShape,
  CostEventShape,
  GrantShape,
} from "../../api/governance-shapes.ts";
import { brief, type Paper, someone, status, strong, when } from "../print/cells.ts";
import { columns } from "../print/columns.ts";
import { oneLine } from "../print/table.ts";
import { money } from "../print/words.ts";

/** What is asked for, in a few words. */
const subjectOf = (payload: Readonly<Record<string, unknown>>, paper: Paper): string => {
  for (const key of ["name", "subject", "title", "summary"]) {
    const text = payload[key];
    if (typeof text === "string" && text.trim() !== "") return text;
  }
  return brief(payload, paper);
};

columns(
  ApprovalShape,
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
);
columns(
  GrantShape,
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
);
columns(
  CostEventShape,
  { title: "WHEN", show: when("occurredAt") },
  { title: "AGENT", show: ({ agentId }, paper) => someone(agentId, paper), grows: 8 },
  { title: "PROVIDER", show: ({ provider }) => provider },
  { title: "MODEL", show: ({ model }) => model, grows: true },
  { title: "IN", show: ({ inputTokens }) => String(inputTokens) },
  { title: "CACHED", show: ({ cachedInputTokens }) => String(cachedInputTokens), goes: 1 },
  { title: "OUT", show: ({ outputTokens }) => String(outputTokens) },
  {
    title: "COST",
    show: ({ costCents, costStatus }) =>
      costStatus === "unknown" ? "unknown" : `${costStatus === "priced" ? "~" : ""}${money(costCents)}`,
  },
);

const marks = { passed: "✓", refused: "✗", not_reached: "·", not_applicable: "–" } as const;

/** Whether one may decide, and every check that says so. */
export const authorityReport = (report: z.output<typeof AuthorityShape>, { colors }: Paper): string => {
  const { allowed, refusal, acceptedProof, checks, policy, approveRequiresChosenOwner } = report;
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
  return `${verdict}\n\n${lines.join("\n")}\n\n  ${colors.dim(needs)}\n${
    approveRequiresChosenOwner ? `  ${colors.dim("approve it with --chosen-owner")}\n` : ""
  }`;
};
