import type { z } from "zod";
import type { AuthorityShape } from "../../api/approvals/approval-shapes.ts";
import type { Paper } from "../print/cells.ts";
import { oneLine } from "../print/table.ts";

const marks = { passed: "✓", refused: "✗", not_reached: "·", not_applicable: "–" } as const;

/** Prints whether the caller may decide, with every check. */
export const authorityReport = (report: z.output<typeof AuthorityShape>, { colors }: Paper): string => {
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
