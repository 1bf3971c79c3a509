import type { ShippedTemplates } from "../../ports/shipped-templates.ts";
import { applyTemplate } from "./apply-template.ts";
import type { TemplatePorts } from "./applying.ts";
import { importCompany } from "./import-company.ts";
import { showTemplate } from "./show-template.ts";

/** The use cases of templates. */
export const templates = (ports: TemplatePorts, shipped: ShippedTemplates) => ({
  show: showTemplate(ports.transactor),
  apply: applyTemplate(ports),
  importCompany: importCompany(ports),
  shipped: shipped.list,
});

export type Templates = ReturnType<typeof templates>;
