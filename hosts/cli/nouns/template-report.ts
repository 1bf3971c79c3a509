import type { z } from "zod";
import type { AppliedTemplateShape } from "../../api/companies/template-shapes.ts";
import { harmless, type Terminal } from "../terminal.ts";

export type AppliedTemplate = z.output<typeof AppliedTemplateShape>;

const marks = { create: "+", update: "~", remove: "-" } as const;

/** One line for each change, then what is missing. */
export const templateReport = (
  { changes, wanted, refused }: AppliedTemplate,
  { colors }: Pick<Terminal, "colors">,
): string => {
  const paint = { create: colors.green, update: colors.yellow, remove: colors.red };
  const lines = changes.map(({ kind, key, action, fields }) => {
    const named = fields.map(({ field }) => field).join(", ");
    return `${paint[action](marks[action])} ${kind} ${harmless(key)}${named === "" ? "" : colors.dim(`  ${harmless(named)}`)}`;
  });
  const missing = Object.entries(wanted).flatMap(([what, names]) =>
    names.length === 0
      ? []
      : [`${colors.yellow("!")} Missing ${what}: ${harmless((names as readonly string[]).join(", "))}`],
  );
  return `${[
    ...(lines.length === 0 ? ["Nothing differs."] : lines),
    ...missing,
    ...(refused === null ? [] : [`${colors.red("✗")} It would be refused: ${harmless(refused.error)}`]),
  ].join("\n")}\n`;
};
