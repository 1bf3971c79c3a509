import { strong } from "../print/cells.ts";
import { ago } from "../print/format.ts";
import { columns, type Printer } from "../print/printers.ts";

export const volumePrinters: readonly Printer[] = [
  columns(
    "VolumeShape",
    { title: "HOST", show: ({ host }, paper) => strong(host, paper), grows: true },
    {
      title: "STATE",
      show: ({ reachable, givenUpAt }, { colors, now }) =>
        reachable
          ? { text: "reachable", paint: colors.green }
          : givenUpAt !== null && new Date(givenUpAt) > now()
            ? { text: "awaited", paint: colors.yellow }
            : { text: "abandoned", paint: colors.red },
    },
    { title: "SERVICES", show: ({ services }) => String(services.length), goes: 1 },
    { title: "AGENTS", show: ({ agents }) => String(agents) },
    { title: "RUNS", show: ({ runsRunning }) => String(runsRunning) },
    { title: "LAST SEEN", show: ({ lastSeenAt }, { now }) => ago(lastSeenAt, now()), goes: 2 },
    { title: "VOLUME", show: ({ volume }) => volume },
  ),
];
