import type { z } from "zod";
import type { SkillsShape } from "../../api/agents/agent-shapes.ts";
import { type Paper, strong } from "../print/cells.ts";
import { oneLine, table } from "../print/table.ts";

export const skillsReport = (
  { adapterType, supported, entries, warnings }: z.output<typeof SkillsShape>,
  paper: Paper,
): string => {
  if (!supported) return `Agents of ${oneLine(adapterType)} have no skills.\n`;
  const { colors } = paper;
  const rows = entries.map(({ key, state, locationLabel, detail }) => [
    strong(key, paper),
    { text: state, ...(state === "missing" ? { paint: colors.red } : {}) },
    { text: locationLabel ?? "" },
    { text: detail ?? "" },
  ]);
  const headings = [
    { title: "SKILL" },
    { title: "STATE" },
    { title: "WHERE" },
    { title: "WHAT IT IS FOR", grows: true },
  ];
  return `${table(headings, rows, paper)}${warnings.map((warning) => `${colors.yellow("!")} ${oneLine(warning)}\n`).join("")}`;
};
