import type { z } from "zod";
import type { DetectedModelShape } from "../../api/adapters/adapter-shapes.ts";
import { type Paper, strong } from "../print/cells.ts";
import { columns, type Printer, record } from "../print/printers.ts";
import { pairs } from "../print/table.ts";

const detectedModel = (found: z.output<typeof DetectedModelShape>, paper: Paper): string =>
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

export const adapterPrinters: readonly Printer[] = [
  columns(
    "AdapterShape",
    { field: "type", strong: true },
    { title: "LABEL", show: ({ label, type }) => (label === type ? "" : label), grows: true, goes: 1 },
    "status",
    { field: ["packageName", "localPath", "source"], title: "FROM", grows: true },
    "version",
    { title: "TROUBLE", show: ({ error, warnings }) => error ?? warnings.join(" "), grows: true },
  ),
  record("DetectedModelShape", detectedModel),
];
