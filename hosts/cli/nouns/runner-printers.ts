import { strong } from "../print/cells.ts";
import { columns, type Printer } from "../print/printers.ts";

export const runnerPrinters: readonly Printer[] = [
  columns(
    "RunnerShape",
    { title: "NAME", show: ({ name }, paper) => strong(name, paper), grows: true },
    { title: "KIND", show: ({ kind }) => kind ?? "–" },
    { title: "USUAL", show: ({ usual }) => (usual ? "yes" : "–") },
    { title: "RUNS ON", show: ({ reach }) => reach ?? "–", grows: true },
    {
      title: "RECOVERY",
      show: ({ recoveryBoundSec }) => (recoveryBoundSec === null ? "–" : `${recoveryBoundSec} s`),
      grows: true,
    },
    { title: "PROBLEM", show: ({ problem }) => problem ?? "", grows: true },
  ),
];
