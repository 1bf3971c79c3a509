import * as Effect from "effect/Effect";
import { z } from "zod";
import { CompanyNotFound } from "../../../core/model/companies/company.ts";
import { HouseRulesStale, mostHouseRules } from "../../../core/model/companies/house-rules.ts";
import type { CompanyId } from "../../../core/model/shared/ids.ts";
import type { Views } from "../../../ports/views.ts";
import { acting, inCompany } from "../endpoint/access.ts";
import { endpoint } from "../endpoint/endpoint.ts";
import { pageEndpoint } from "../endpoint/page-endpoint.ts";
import { upTo } from "../endpoint/values.ts";
import { HouseRulesRevisionShape, HouseRulesShape } from "./company-shapes.ts";

const current = (views: Views, companyId: CompanyId) =>
  Effect.map(
    views.companies.houseRules(companyId),
    (rules) => rules ?? { companyId, revisionNumber: 0, body: "", createdByUserId: null, createdAt: null },
  );

export const houseRules = {
  houseRules: endpoint({
    method: "GET",
    path: "/api/companies/{companyId}/house-rules",
    summary: "Show the house rules of a company",
    description: "All its agents read them in every run. revisionNumber is 0 if none exist yet.",
    access: inCompany("viewer"),
    returns: HouseRulesShape,
    run: ({ views }, { companyId }) => current(views, companyId),
  }),
  setHouseRules: endpoint({
    method: "PUT",
    path: "/api/companies/{companyId}/house-rules",
    summary: "Change the house rules of a company",
    description:
      "Runs that start from then on have them, in the file that each program reads for that: AGENTS.md, CLAUDE.md and so on, outside of repositories. A 409 names the current revision.",
    access: acting("company", "update"),
    body: z.strictObject({
      body: upTo(mostHouseRules).describe("Markdown; an empty text removes them."),
      baseRevisionNumber: z.int().min(0).describe("The revision that you changed; 0 if none exists."),
    }),
    returns: HouseRulesShape,
    failures: [CompanyNotFound, HouseRulesStale],
    run: ({ companies, views }, input, { by }) =>
      companies.writeHouseRules({ ...input, by }).pipe(Effect.andThen(current(views, input.companyId))),
  }),
  houseRulesRevisions: pageEndpoint({
    path: "/api/companies/{companyId}/house-rules/revisions",
    summary: "List the revisions of the house rules",
    description: "Newest first, with their texts.",
    access: inCompany("viewer"),
    limits: { default: 50, max: 200 },
    row: HouseRulesRevisionShape,
    run: ({ views }, { companyId, limit, cursor }) =>
      views.companies.houseRulesRevisions(companyId, { limit, cursor }),
  }),
};
