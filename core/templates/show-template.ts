import * as Effect from "effect/Effect";
import type { UseCaseContext } from "../access/unit-of-work.ts";
import type { CompanyId } from "../model/shared/ids.ts";
import { describeCompany } from "../model/templates/describe-company.ts";

/** Describes a company as a template, as of one moment. */
export const showTemplate =
  ({ transactor }: UseCaseContext) =>
  ({ companyId }: { readonly companyId: CompanyId }) =>
    transactor.transact((stores) =>
      Effect.map(stores.templates.read(companyId), (records) => {
        const { template, omitted } = describeCompany(records);
        return { template, omitted };
      }),
    );
