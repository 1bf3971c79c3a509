import { budget, someone, status, strong } from "../print/cells.ts";
import { columns, idColumn, type Printer } from "../print/printers.ts";

export const projectPrinters: readonly Printer[] = [
  columns(
    "ProjectShape",
    { title: "PROJECT", show: ({ name }, paper) => strong(name, paper), grows: true },
    { title: "STATUS", show: (row, paper) => status(row.status, paper) },
    { title: "LEAD", show: ({ leadAgentId }, paper) => someone(leadAgentId, paper), grows: 8, goes: 2 },
    { title: "SPENT", show: (row) => budget(row), goes: 3 },
    { title: "TARGET", show: ({ targetDate }) => targetDate ?? "–", goes: 1 },
    idColumn,
  ),
  columns(
    "RepositoryShape",
    { title: "REPOSITORY", show: ({ url }, paper) => strong(url, paper), grows: true },
    { title: "BRANCH", show: ({ defaultBranch }) => defaultBranch, grows: 8 },
    { title: "DIRECTORY", show: ({ directory }) => directory ?? "–", grows: 6, goes: 2 },
    { title: "MODE", show: ({ mode }) => mode, goes: 1 },
    { title: "HOST", show: ({ problem }) => (problem === null ? "ok" : "problem"), goes: 3 },
    idColumn,
  ),
  columns(
    "GoalShape",
    { title: "GOAL", show: ({ title }, paper) => strong(title, paper), grows: true },
    { title: "LEVEL", show: ({ level }) => level },
    { title: "STATUS", show: (row, paper) => status(row.status, paper) },
    { title: "OWNER", show: ({ ownerAgentId }, paper) => someone(ownerAgentId, paper), grows: 8, goes: 1 },
    idColumn,
  ),
];
