import type { z } from "zod";
import type { DetectedModelShape } from "../../api/adapters/adapter-shapes.ts";
import { type Paper, strong } from "../print/cells.ts";
import { pairs } from "../print/table.ts";

export const detectedModel = (found: z.output<typeof DetectedModelShape>, paper: Paper): string =>
  found === null
    ? "No model is configured where the adapter looks.\n"
    : pairs(
        (
          [
            ["model", strong(found.model, paper)],
            ["provider", { text: found.provider }],
            ["found in", { text: found.source }],
            ["also found", { text: found.candidates.slice(1).join(", ") }],
          ] as const
        ).filter(([, { text }]) => text !== ""),
        paper,
      );
