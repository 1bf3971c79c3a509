import type { z } from "zod";
import type { WorkspaceCommandShape } from "../../api/workspaces/workspace-shapes.ts";
import type { Paper } from "../print/cells.ts";
import { indented } from "../print/sections.ts";
import { oneLine } from "../print/table.ts";
import { ago } from "../print/words.ts";

/** Prints commands of repositories in a workspace: kind, outcome, command and the end of the output. */
export const commandList = (
  rows: readonly z.output<typeof WorkspaceCommandShape>[],
  { colors, now }: Paper,
): string =>
  rows
    .map(({ kind, command, problem, durationMs, endedAt, output }) => {
      const outcome = problem === null ? "succeeded" : `failed: ${oneLine(problem)}`;
      const about = `· ${Math.round(durationMs / 1_000)} s · ${ago(endedAt, now())}`;
      return `${colors.bold(`${kind} ${outcome}`)} ${colors.dim(about)}\n${indented(`$ ${oneLine(command)}`)}\n${indented(output.trimEnd())}`;
    })
    .join("\n");
