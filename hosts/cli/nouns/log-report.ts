import type { z } from "zod";
import { recordsOf } from "../../../core/model/runs/log-lines.ts";
import type { LogShape } from "../../api/runs/run-shapes.ts";
import { harmlessOutput, type Terminal } from "../terminal.ts";

/** Prints what a run's programs wrote, as they wrote it. */
export const logReport = (
  { content, nextOffset }: z.output<typeof LogShape>,
  { colors }: Pick<Terminal, "colors">,
): string => {
  if (content === "") return "";
  const text = recordsOf(content)
    .map(({ stream, chunk }) =>
      stream === "stdout" ? harmlessOutput(chunk) : colors.red(harmlessOutput(chunk)),
    )
    .join("");
  return `${text.endsWith("\n") ? text : `${text}\n`}${colors.dim(`What follows: --offset ${nextOffset}`)}\n`;
};
