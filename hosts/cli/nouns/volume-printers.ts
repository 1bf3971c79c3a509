import { status } from "../print/cells.ts";
import { columns, type Printer } from "../print/printers.ts";

export const volumePrinters: readonly Printer[] = [
  columns(
    "VolumeShape",
    { field: "host", strong: true, grows: true },
    {
      title: "STATE",
      show: ({ reachable, givenUpAt }, paper) => {
        if (reachable) return status("reachable", paper);
        const isAwaited = givenUpAt !== null && new Date(givenUpAt) > paper.now();
        return status(isAwaited ? "awaited" : "abandoned", paper);
      },
    },
    { title: "SERVICES", show: ({ services }) => String(services.length), goes: 1 },
    "agents",
    { field: "runsRunning", title: "RUNS" },
    { field: "lastSeenAt", goes: 2 },
    "volume",
  ),
];
