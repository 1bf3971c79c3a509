import * as Effect from "effect/Effect";
import * as Result from "effect/Result";
import type { Stores } from "../../ports/transactor.ts";
import { updateCompany } from "../companies/update-company.ts";
import { writeHouseRules } from "../companies/write-house-rules.ts";
import type { Actor } from "../model/access/caller.ts";
import { HouseRulesStale } from "../model/companies/house-rules.ts";
import type { Refusal, RefusalType } from "../model/shared/failure.ts";
import type { CompanyId } from "../model/shared/ids.ts";
import type { CompanyRecords } from "../model/templates/company-records.ts";
import type {
  DeclaredAgent,
  DeclaredGoal,
  DeclaredLabel,
  DeclaredProject,
  DeclaredRoutine,
  DeclaredTemplate,
  TemplateAgent,
  TemplateGoal,
  TemplateList,
  TemplateProject,
  TemplateRoutine,
} from "../model/templates/company-template.ts";
import { templateLists } from "../model/templates/company-template.ts";
import { describeCompany } from "../model/templates/describe-company.ts";
import {
  aboveOf,
  byKeyIn,
  changesTo,
  checkDeclared,
  type Item,
  itemKey,
  itemsOf,
  kindOf,
  type TemplateChange,
} from "../model/templates/template-changes.ts";
import { type Wanted, wantedBy } from "../model/templates/wanted.ts";
import { applyAgent, removeAgent } from "./apply-agents.ts";
import {
  applyGoal,
  applyLabel,
  applyProject,
  removeGoal,
  removeLabel,
  removeProject,
} from "./apply-plans.ts";
import { applyRoutine, removeRoutine } from "./apply-routines.ts";
import type { Applying, GrowingIds, TemplateContext } from "./applying.ts";
import { within } from "./within.ts";

export interface Declaration {
  readonly companyId: CompanyId;
  readonly by: Actor;
  readonly template: DeclaredTemplate;
  /** Remove the records of declared lists that are not declared. */
  readonly prune: boolean;
  /** Keys of the available skills. */
  readonly skills: ReadonlySet<string>;
}

export interface Plan {
  readonly changes: readonly TemplateChange[];
  readonly wanted: Wanted;
}

/** Compares a declaration with the company's records. Refuses one that contradicts itself. */
export const planTemplate = (
  { adapters, runners }: TemplateContext,
  records: CompanyRecords,
  { template, prune, skills }: Declaration,
) => {
  const present = describeCompany(records);
  return Result.map(checkDeclared(template, present.template, prune), (declared) => {
    const hasSecret = (key: string) => present.ids.secrets.has(key);
    const plan: Plan = {
      changes: changesTo(present.template, declared, { prune, knowsSecret: hasSecret }),
      wanted: wantedBy(declared, {
        hasAdapter: (type) => adapters.loaded().has(type),
        hasRunner: (name) => runners.get(name) !== null,
        hasSecret,
        hasSkill: (key) => skills.has(key),
      }),
    };
    return { plan, present, declared };
  });
};

/**
 * Brings a company to its declared state, by the same use cases as single requests: all their checks apply, and each change has
 * its entry in the log. Returns what was changed.
 */
export const carryOut = Effect.fnUntraced(function* (
  context: TemplateContext,
  stores: Stores,
  declaration: Declaration,
) {
  const { companyId, by, prune } = declaration;
  const records = yield* stores.templates.read(companyId);
  const { plan, present, declared } = yield* Effect.fromResult(planTemplate(context, records, declaration));
  const nested = within(context, stores);
  const ids = Object.fromEntries(
    Object.entries(present.ids).map(([list, known]) => [list, new Map<string, unknown>(known)]),
  ) as unknown as GrowingIds;
  const applying: Applying = { context: nested, companyId, by, prune, ids };
  const due = new Map(plan.changes.map((change) => [`${change.kind} ${change.key}`, change]));
  const company = due.get("company company");
  if (company !== undefined) {
    const { houseRules, ...fields } = declared.company ?? {};
    yield* updateCompany(context.runners)(nested)({ ...fields, name: undefined, companyId, by }).pipe(
      Effect.mapError(at(["company"])),
    );
    if (houseRules !== undefined)
      yield* writeHouseRules(nested)({
        companyId,
        by,
        body: houseRules ?? "",
        baseRevisionNumber: records.houseRules?.revisionNumber ?? 0,
      }).pipe(
        // The company is locked: they have not changed since they were read.
        Effect.catch((refusal) =>
          refusal instanceof HouseRulesStale ? Effect.die(refusal) : Effect.fail(refusal),
        ),
        Effect.mapError(at(["company", "houseRules"])),
      );
  }
  for (const list of templateLists) {
    const before = new Map(itemsOf(present.template, list)!.map((item) => [itemKey(list, item), item]));
    const items = itemsOf(declared, list) ?? [];
    const above = aboveOf[list];
    const apply = (item: Item, stored: Item | null) =>
      applyItem(applying, list, item, stored).pipe(Effect.mapError(at([list, itemKey(list, item)])));
    const waiting = new Set<Item>();
    // In the order of their keys: of records with one name, the first that is made has the first key.
    for (const item of items.filter((each) => !before.has(itemKey(list, each))).toSorted(byKeyIn(list))) {
      const waits = above !== undefined && typeof item[above] === "string" && !ids[list].has(item[above]);
      if (waits) waiting.add(item);
      yield* apply(waits ? { ...item, [above]: undefined } : item, null);
    }
    // From the top down: in any other order a link could form a cycle on the way.
    for (const item of items) {
      const key = itemKey(list, item);
      const stored = before.get(key);
      if (stored === undefined && above !== undefined && waiting.has(item))
        yield* apply({ key, name: item.name, title: item.title, [above]: item[above] }, item);
      else if (stored !== undefined && due.has(`${kindOf[list].kind} ${key}`)) yield* apply(item, stored);
    }
  }
  for (const list of [...templateLists].reverse())
    for (const { kind, key, action } of plan.changes)
      if (action === "remove" && kind === kindOf[list].kind)
        yield* removeItem(applying, list, key).pipe(Effect.mapError(at([list, key])));
  return plan;
});

const applyItem = Effect.fnUntraced(function* (
  applying: Applying,
  list: TemplateList,
  item: unknown,
  before: unknown,
) {
  switch (list) {
    case "labels":
      return yield* applyLabel(applying, item as DeclaredLabel);
    case "agents":
      return yield* applyAgent(applying, item as DeclaredAgent, before as TemplateAgent | null);
    case "goals":
      return yield* applyGoal(applying, item as DeclaredGoal, before as TemplateGoal | null);
    case "projects":
      return yield* applyProject(applying, item as DeclaredProject, before as TemplateProject | null);
    case "routines":
      return yield* applyRoutine(applying, item as DeclaredRoutine, before as TemplateRoutine | null);
  }
});

const removeItem = Effect.fnUntraced(function* (applying: Applying, list: TemplateList, key: string) {
  switch (list) {
    case "labels":
      return yield* removeLabel(applying, key);
    case "agents":
      return yield* removeAgent(applying, key);
    case "goals":
      return yield* removeGoal(applying, key);
    case "projects":
      return yield* removeProject(applying, key);
    case "routines":
      return yield* removeRoutine(applying, key);
  }
});

/** Adds to a refusal the record of the template it is about. */
const at =
  (place: readonly string[]) =>
  <No extends Refusal>(refusal: No): No => {
    const { path = [], ...others } = (refusal.details ?? {}) as { readonly path?: readonly string[] };
    const type = refusal.constructor as unknown as RefusalType<No>;
    return new type({ ...others, path: [...place, ...path] }, `${place.join(".")}: ${refusal.message}`);
  };
