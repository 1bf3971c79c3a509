import * as Effect from "effect/Effect";
import type { Stores } from "../../ports/transactor.ts";
import type { Actor } from "../model/access/caller.ts";
import type { CompanyId } from "../model/shared/ids.ts";
import type { DeclaredTemplate } from "../model/templates/company-template.ts";
import type { TemplateContext } from "./applying.ts";
import { carryOut, planTemplate } from "./carry-out.ts";
import { offeredSkills } from "./offered-skills.ts";
import { tryOut } from "./preview.ts";

export interface ApplyTemplate {
  readonly companyId: CompanyId;
  readonly by: Actor;
  readonly template: DeclaredTemplate;
  readonly prune?: boolean | undefined;
  /** Change nothing, and say what would change. */
  readonly dryRun?: boolean | undefined;
}

/** Brings a company to the state that a template declares, in one transaction. */
export const applyTemplate =
  (context: TemplateContext) =>
  ({ dryRun = false, prune = false, ...command }: ApplyTemplate) =>
    Effect.gen(function* () {
      const declaration = { ...command, prune, skills: yield* offeredSkills(context.catalogue) };
      const work = (stores: Stores) =>
        Effect.andThen(stores.templates.lock(command.companyId), carryOut(context, stores, declaration));
      if (!dryRun) return { ...(yield* context.transactor.transact(work)), refused: null };
      const records = yield* context.transactor.transact((stores) =>
        stores.templates.read(command.companyId),
      );
      const { plan } = yield* Effect.fromResult(planTemplate(context, records, declaration));
      return { ...plan, refused: yield* tryOut(context, work) };
    });
