import { budget, status, strong } from "../print/cells.ts";
import { columns, idColumn, type Printer, record } from "../print/printers.ts";
import { pulseReport } from "./pulse-report.ts";
import { templateReport } from "./template-report.ts";

export const companyPrinters: readonly Printer[] = [
  columns(
    "CompanyShape",
    { title: "NAME", show: ({ name }, paper) => strong(name, paper), grows: true },
    { title: "PREFIX", show: ({ issuePrefix }) => issuePrefix },
    { title: "STATUS", show: (row, paper) => status(row.status, paper) },
    { title: "SPENT", show: budget, goes: 1 },
    idColumn,
  ),
  record("PulseShape", pulseReport),
  record("AppliedTemplateShape", templateReport),
  record("ImportedCompanyShape", templateReport),
  columns(
    "ShippedTemplateShape",
    { title: "TEMPLATE", show: ({ key }, paper) => strong(key, paper) },
    {
      title: "AGENTS",
      show: ({ template }) => (template.agents ?? []).map(({ name }) => name).join(", "),
      grows: true,
    },
  ),
];
