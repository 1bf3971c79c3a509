import * as Effect from "effect/Effect";
import type { Stores } from "../../ports/transactor.ts";
import { createCompany } from "../companies/create-company.ts";
import { stopCompany } from "../companies/stop-company.ts";
import type { Actor } from "../model/access/caller.ts";
import { newCompany } from "../model/companies/new-company.ts";
import type { CompanyId } from "../model/shared/ids.ts";
import { recordsOf } from "../model/templates/company-records.ts";
import type { DeclaredTemplate } from "../model/templates/company-template.ts";
import type { TemplateContext } from "./applying.ts";
import { carryOut, planTemplate } from "./carry-out.ts";
import { offeredSkills } from "./offered-skills.ts";
import { tryOut } from "./preview.ts";
import { within } from "./within.ts";

export interface ImportCompany {
  readonly id: CompanyId;
  readonly by: Actor;
  readonly name: string;
  readonly template: DeclaredTemplate;
  /** Make nothing, and say what would be made. */
  readonly dryRun?: boolean | undefined;
}

/**
 * Makes a company of a template, in one transaction. It is paused, so that nothing works before a person has looked at it:
 * resuming the company starts it.
 */
export const importCompany =
  (context: TemplateContext) =>
  ({ id, by, name, template, dryRun = false }: ImportCompany) =>
    Effect.gen(function* () {
      const declaration = {
        companyId: id,
        by,
        template,
        prune: false,
        skills: yield* offeredSkills(context.catalogue),
      };
      const work = (stores: Stores) =>
        Effect.gen(function* () {
          const nested = within(context, stores);
          yield* createCompany(nested)({ id, by, name });
          const plan = yield* carryOut(context, stores, declaration);
          yield* stopCompany("paused")(nested)({ companyId: id, by });
          return plan;
        });
      if (!dryRun) return { ...(yield* context.transactor.transact(work)), companyId: id, refused: null };
      const company = newCompany({
        id,
        name,
        description: null,
        budgetMonthlyCents: 0,
        at: context.clock.now(),
      });
      const { plan } = yield* Effect.fromResult(planTemplate(context, recordsOf(company), declaration));
      return { ...plan, companyId: null, refused: yield* tryOut(context, work) };
    });
