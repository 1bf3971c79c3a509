import { columns, type Printer } from "../print/printers.ts";

export const runnerPrinters: readonly Printer[] = [
  columns(
    "RunnerShape",
    "name",
    "kind",
    "usual",
    { field: "reach", title: "RUNS ON", grows: true },
    { field: "recoveryBoundSec", title: "RECOVERY", grows: true },
    "problem",
  ),
];
