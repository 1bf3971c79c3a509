import * as Effect from "effect/Effect";
import type { Runners } from "../../ports/runners.ts";
import { type UnitOfWork, useCase } from "../access/unit-of-work.ts";
import type { Actor } from "../model/access/caller.ts";
import { differencesOf } from "../model/activity/differences.ts";
import type { Company } from "../model/companies/company.ts";
import { ReferenceNotFound } from "../model/shared/failure.ts";
import type { AssetId, CompanyId } from "../model/shared/ids.ts";
import { monthOf } from "../model/shared/instant.ts";
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

export const updateCompany = (runners: Runners) =>
  useCase("companies.update", function* (unit, command: UpdateCompany) {
    const before = yield* unit.companies.lock(command.companyId);
    const edited = patched(before, command, fields, unit.at);
    if (edited.changed.includes("runner")) yield* checkRunner(runners, command.runner, ["runner"]);
    const newLogo =
      command.logoAssetId !== undefined && (yield* changeLogo(unit, before.id, command.logoAssetId));
    const changed = newLogo ? [...edited.changed, "logoAssetId"] : edited.changed;
    if (changed.length === 0) return before;
    const after: Company = { ...edited.after, updatedAt: unit.at };
    yield* unit.companies.save(after);
    if (changed.includes("agentCausedRunLimit"))
      yield* unit.runs.release([{ companyId: after.id, quarantinedFor: "agents" }], unit.at);
    yield* unit.log(
      "company.updated",
      { companyId: after.id, id: after.id },
      { changed, differences: differencesOf(before, after, changed) },
    );
    if (!changed.includes("budgetMonthlyCents")) return after;
    const spend = yield* unit.costs.spent(after.id, monthOf(unit.at));
    return yield* applyCompanyBudget(unit, after, spend);
  });

/** Replaces the logo and removes the previous one with its file. Returns false where nothing changes. */
const changeLogo = Effect.fnUntraced(function* (unit: UnitOfWork, companyId: CompanyId, to: AssetId | null) {
  const from = yield* unit.files.logoOf(companyId);
  if (from === to) return false;
  const asset = to === null ? null : yield* unit.files.findAsset(to, companyId);
  if (to !== null && asset?.purpose !== "logo") yield* Effect.fail(ReferenceNotFound.at("logoAssetId"));
  yield* unit.files.setLogo(companyId, to);
  const old = from === null ? null : yield* unit.files.findAsset(from, companyId);
  if (old !== null) {
    yield* unit.files.deleteAsset(old.id);
    yield* unit.files.addLoose(old.blobKey, unit.at);
  }
  return true;
});
