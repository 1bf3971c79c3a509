import { strong, when } from "../print/cells.ts";
import { columns, type Printer } from "../print/printers.ts";

export const inboxPrinters: readonly Printer[] = [
  columns(
    "InboxEntryShape",
    { title: "SINCE", show: when("waitingSince") },
    { title: "COMPANY", show: ({ companyName }) => companyName ?? "instance", grows: 8, goes: 2 },
    { title: "WHAT", show: ({ kind }) => kind },
    {
      title: "ABOUT",
      show: ({ issue, subject }, paper) => strong(issue?.identifier ?? subject.title, paper),
      grows: 8,
      goes: 3,
    },
    { title: "WHY", show: ({ reason }) => reason, grows: true },
    { title: "YOU CAN", show: ({ actions }) => actions.join(", ").replaceAll("_", " "), grows: 8, goes: 1 },
    { title: "ID", show: ({ subject }) => subject.id },
  ),
];
