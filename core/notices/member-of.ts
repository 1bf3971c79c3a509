import * as Effect from "effect/Effect";
import type { UnitOfWork } from "../access/unit-of-work.ts";
import type { BoardCaller } from "../model/access/caller.ts";
import type { CompanyId } from "../model/shared/ids.ts";

/** Returns whether the caller is in a company; instance admins are in each that is not archived. */
export const memberOf = (unit: UnitOfWork, { admin, roles }: BoardCaller) =>
  Effect.gen(function* () {
    const known = admin ? new Set((yield* unit.access.companiesByPrefix()).map(({ id }) => id)) : roles;
    return (companyId: CompanyId) => known.has(companyId);
  });
