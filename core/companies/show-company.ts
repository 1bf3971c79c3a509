import * as Effect from "effect/Effect";
import type { Clock } from "../../ports/clock.ts";
import type { CompanyRecord, CompanyViews } from "../../ports/views/company-views.ts";
import type { AgentCaller, BoardCaller } from "../model/access/caller.ts";
import type { CompanyStatus } from "../model/companies/company.ts";
import { companyActions } from "../model/companies/company-actions.ts";
import { companyStatus } from "../model/companies/company-status.ts";
import type { CompanyId } from "../model/shared/ids.ts";
import type { Instant } from "../model/shared/instant.ts";

/** A company with the status that people see. */
export const withStatus = ({ heldByBudgetAt, ...record }: CompanyRecord, at: Instant) => ({
  ...record,
  ...companyStatus({ status: record.status, heldByBudgetAt }, at),
});

const shownTo = (caller: BoardCaller | AgentCaller, record: CompanyRecord, at: Instant) => ({
  ...withStatus(record, at),
  callerMay: companyActions(
    { ...record, at },
    { caller, companyId: record.id, companyStatus: record.status },
  ),
});

/** The companies as a reader sees them. */
export const showCompany = (views: CompanyViews, clock: Clock) => ({
  /** By name, those in the statuses. `among` limits the list; null means all. */
  list: (
    among: readonly CompanyId[] | null,
    statuses: readonly CompanyStatus[],
    caller: BoardCaller | AgentCaller,
  ) =>
    Effect.suspend(() => {
      const at = clock.now();
      return Effect.map(views.list(among, at), (records) =>
        records
          .map((record) => shownTo(caller, record, at))
          .filter(({ status }) => statuses.includes(status)),
      );
    }),
  show: (id: CompanyId, caller: BoardCaller | AgentCaller) =>
    Effect.suspend(() => {
      const at = clock.now();
      return Effect.map(views.get(id, at), (record) => shownTo(caller, record, at));
    }),
});
