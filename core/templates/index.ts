import type { ShippedTemplates } from "../../ports/shipped-templates.ts";
import { applyTemplate } from "./apply-template.ts";
import type { TemplateContext } from "./applying.ts";
import { importCompany } from "./import-company.ts";
import { showTemplate } from "./show-template.ts";

/** The use cases of templates. */
export const templates = (context: TemplateContext, shipped: ShippedTemplates) => ({
  show: showTemplate(context),
  apply: applyTemplate(context),
  importCompany: importCompany(context),
  shipped: shipped.list,
});

export type Templates = ReturnType<typeof templates>;
