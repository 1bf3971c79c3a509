import { strong } from "../print/cells.ts";
import { columns, type Printer } from "../print/printers.ts";

export const inboxPrinters: readonly Printer[] = [
  columns(
    "InboxEntryShape",
    { field: "waitingSince", title: "SINCE" },
    { title: "COMPANY", show: ({ companyName }) => companyName ?? "instance", grows: 8, goes: 2 },
    "kind",
    {
      title: "ABOUT",
      show: ({ issue, subject }, paper) => strong(issue?.identifier ?? subject.title, paper),
      grows: 8,
      goes: 3,
    },
    "reason",
    { title: "YOU CAN", show: ({ actions }) => actions.join(", ").replaceAll("_", " "), grows: 8, goes: 1 },
    { title: "ID", show: ({ subject }) => subject.id },
  ),
];
