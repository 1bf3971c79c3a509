import * as Effect from "effect/Effect";
import type { Clock } from "../../ports/clock.ts";
import type { Ids } from "../../ports/ids.ts";
import type { Runners } from "../../ports/runners.ts";
import type { Stores, Transactor } from "../../ports/transactor.ts";
import { logAction } from "../access/log-action.ts";
import { transact } from "../access/transact-as.ts";
import type { Actor } from "../model/access/caller.ts";
import { differencesOf } from "../model/activity/differences.ts";
import type { Company } from "../model/companies/company.ts";
import { ReferenceNotFound } from "../model/shared/failure.ts";
import type { AssetId, CompanyId } from "../model/shared/ids.ts";
import { type Instant, monthOf } from "../model/shared/instant.ts";
import { type Change, patched } from "../model/shared/patch.ts";
import { applyCompanyBudget } from "../money/apply-budget.ts";
import { checkRunner } from "../staff/agents/choose-runner.ts";

const fields = ["name", "description", "budgetMonthlyCents", "runner", "agentCausedRunLimit"] as const;

export interface UpdateCompany extends Change<Company, (typeof fields)[number]> {
  readonly companyId: CompanyId;
  readonly by: Actor;
  /** A file that was uploaded as a logo; null removes the logo. */
  readonly logoAssetId?: AssetId | null | undefined;
}

export const updateCompany =
  (transactor: Transactor, clock: Clock, ids: Ids, runners: Runners) => (command: UpdateCompany) =>
    transact(transactor, function* (stores) {
      const before = yield* stores.companies.lock(command.companyId);
      const at = clock.now();
      const edited = patched(before, command, fields, at);
      if (edited.changed.includes("runner")) yield* checkRunner(runners, command.runner, ["runner"]);
      const newLogo =
        command.logoAssetId !== undefined && (yield* changeLogo(stores, before.id, command.logoAssetId, at));
      const changed = newLogo ? [...edited.changed, "logoAssetId"] : edited.changed;
      if (changed.length === 0) return before;
      const after: Company = { ...edited.after, updatedAt: at };
      yield* stores.companies.save(after);
      if (changed.includes("agentCausedRunLimit"))
        yield* stores.runs.release({ companyId: after.id, heldFor: "agents" }, at);
      yield* logAction(stores, { companyId: after.id, id: after.id }, command.by, at, "company.updated", {
        changed,
        differences: differencesOf(before, after, changed),
      });
      if (!changed.includes("budgetMonthlyCents")) return after;
      const spend = yield* stores.costs.spent(after.id, monthOf(at));
      return yield* applyCompanyBudget(stores, ids, after, spend, at);
    });

/** Replaces the logo and removes the previous one with its file. Returns false where nothing changes. */
const changeLogo = Effect.fnUntraced(function* (
  stores: Stores,
  companyId: CompanyId,
  to: AssetId | null,
  at: Instant,
) {
  const from = yield* stores.files.logoOf(companyId);
  if (from === to) return false;
  const asset = to === null ? null : yield* stores.files.findAsset(to, companyId);
  if (to !== null && asset?.purpose !== "logo") yield* Effect.fail(ReferenceNotFound.at("logoAssetId"));
  yield* stores.files.setLogo(companyId, to);
  const old = from === null ? null : yield* stores.files.findAsset(from, companyId);
  if (old !== null) {
    yield* stores.files.deleteAsset(old.id);
    yield* stores.files.addLoose(old.blobKey, at);
  }
  return true;
});
