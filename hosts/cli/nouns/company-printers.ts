import { budget } from "../print/cells.ts";
import { columns, type Printer, record } from "../print/printers.ts";
import { pulseReport } from "./pulse-report.ts";
import { templateReport } from "./template-report.ts";

export const companyPrinters: readonly Printer[] = [
  columns(
    "CompanyShape",
    "name",
    { field: "issuePrefix", title: "PREFIX" },
    "status",
    { title: "SPENT", show: budget, goes: 1 },
    "id",
  ),
  record("PulseShape", pulseReport),
  record("AppliedTemplateShape", templateReport),
  record("ImportedCompanyShape", templateReport),
  columns(
    "ShippedTemplateShape",
    { field: "key", title: "TEMPLATE" },
    {
      title: "AGENTS",
      show: ({ template }) => (template.agents ?? []).map(({ name }) => name).join(", "),
      grows: true,
    },
  ),
];
