import * as Result from "effect/Result";
import { ReferenceNotFound, refusal, WouldFormACycle } from "../shared/failure.ts";
import { sameJson } from "../shared/same-json.ts";
import type {
  CompanyTemplate,
  DeclaredTemplate,
  DeclaredTrigger,
  TemplateList,
  TemplateTrigger,
} from "./company-template.ts";
import { templateLists } from "./company-template.ts";
import { labelKeyOf } from "./describe-company.ts";
import { withKnownSecrets, withoutNulls } from "./template-config.ts";
import { fitsName, keysOf } from "./template-keys.ts";

/** One difference between a company and what is declared. */
export interface TemplateChange {
  readonly kind: "company" | "label" | "agent" | "goal" | "project" | "routine";
  /** Of the record; a label's is its name in lower case, the company's `company`. */
  readonly key: string;
  /** remove: a label is deleted, an agent terminated, everything else archived. */
  readonly action: "create" | "update" | "remove";
  /** The fields that an update changes. */
  readonly fields: readonly {
    readonly field: string;
    readonly before: unknown;
    readonly after: unknown;
  }[];
}

/** Details: `path` of the field. */
export class TemplateInvalid extends refusal(
  "template_invalid",
  "unprocessable",
  "The template isn't consistent.",
) {}

/** The kind of a record of each list, and the field of its name. */
export const kindOf = {
  labels: { kind: "label", name: "name" },
  agents: { kind: "agent", name: "name" },
  goals: { kind: "goal", name: "title" },
  projects: { kind: "project", name: "name" },
  routines: { kind: "routine", name: "title" },
} as const satisfies Record<TemplateList, { kind: TemplateChange["kind"]; name: string }>;

/** The fields that name other records, with the list of these. */
const references = {
  labels: {},
  agents: { reportsTo: "agents" },
  goals: { parent: "goals", owner: "agents" },
  projects: { lead: "agents" },
  routines: { assignee: "agents", project: "projects", goal: "goals" },
} as const satisfies Record<TemplateList, Readonly<Record<string, TemplateList>>>;

/** The field by which records of a list form trees. */
export const aboveOf: Partial<Record<TemplateList, string>> = { agents: "reportsTo", goals: "parent" };

export type Item = Readonly<Record<string, unknown>>;

export const itemsOf = (template: DeclaredTemplate, list: TemplateList): readonly Item[] | undefined =>
  template[list] as readonly Item[] | undefined;

export const itemKey = (list: TemplateList, item: Item): string =>
  list === "labels" ? labelKeyOf(String(item.name)) : String(item.key);

/** `report` before `report-2` before `report-10`. */
export const byKeyIn =
  (list: TemplateList) =>
  (one: Item, other: Item): number => {
    const [a, b] = [itemKey(list, one), itemKey(list, other)];
    return a.length - b.length || (a < b ? -1 : 1);
  };

/**
 * Checks a declaration against itself and the company that it is for: every key fits its name and is unique, every reference
 * names a record, no hierarchy has a cycle. Returns it with every record after its parent.
 */
export const checkDeclared = (
  declared: DeclaredTemplate,
  present: CompanyTemplate,
  prune: boolean,
): Result.Result<DeclaredTemplate, TemplateInvalid | ReferenceNotFound | WouldFormACycle> => {
  const keys = new Map(
    templateLists.map((list) => {
      const items = itemsOf(declared, list);
      const stays = prune && items !== undefined ? [] : itemsOf(present, list)!;
      return [list, new Set([...(items ?? []), ...stays].map((item) => itemKey(list, item)))];
    }),
  );
  const ordered: Record<string, unknown> = { ...declared };
  for (const list of templateLists) {
    const items = itemsOf(declared, list);
    if (items === undefined) continue;
    const problem = problemOfKeys(list, items) ?? problemOfReferences(list, items, keys);
    if (problem !== null) return Result.fail(problem);
    const sorted = inOrder(list, items);
    if (sorted === null) return Result.fail(new WouldFormACycle({ path: [list] }));
    ordered[list] = sorted;
  }
  return Result.succeed(ordered as DeclaredTemplate);
};

const problemOfKeys = (list: TemplateList, items: readonly Item[]): TemplateInvalid | null => {
  const seen = new Set<string>();
  for (const [n, item] of items.entries()) {
    const key = itemKey(list, item);
    const { kind, name } = kindOf[list];
    if (seen.has(key))
      return new TemplateInvalid(
        { path: [list, n] },
        `${list}.${n}: another ${kind} already has the key ${key}.`,
      );
    seen.add(key);
    if (list !== "labels" && !fitsName(key, String(item[name]), kind))
      return new TemplateInvalid(
        { path: [list, n, "key"] },
        `${list}.${n}.key: the key of "${String(item[name])}" is ${keysOf([String(item[name])], kind)[0]}, or that with a number, not ${key}.`,
      );
  }
  return null;
};

const problemOfReferences = (
  list: TemplateList,
  items: readonly Item[],
  keys: ReadonlyMap<TemplateList, ReadonlySet<string>>,
): ReferenceNotFound | null => {
  for (const [n, item] of items.entries())
    for (const [field, of] of Object.entries<TemplateList>(references[list])) {
      const key = item[field];
      if (typeof key === "string" && !keys.get(of)!.has(key))
        return new ReferenceNotFound(
          { path: [list, n, field] },
          `${list}.${n}.${field}: no ${kindOf[of].kind} has the key ${key}.`,
        );
    }
  return null;
};

/** Returns the records, each after its parent; null if they form a cycle. */
const inOrder = (list: TemplateList, items: readonly Item[]): readonly Item[] | null => {
  const parent = aboveOf[list];
  if (parent === undefined) return items;
  const waiting = new Map(items.map((item) => [itemKey(list, item), item]));
  const sorted: Item[] = [];
  while (waiting.size > 0) {
    const ready = [...waiting].filter(([, item]) => !waiting.has(String(item[parent])));
    if (ready.length === 0) return null;
    for (const [key, item] of ready) {
      waiting.delete(key);
      sorted.push(item);
    }
  }
  return sorted;
};

/**
 * Returns the differences. Undeclared fields and records stay, unless `prune` is set: then undeclared records of a declared
 * list are removed.
 */
export const changesTo = (
  present: CompanyTemplate,
  declared: DeclaredTemplate,
  { prune, knowsSecret }: { readonly prune: boolean; readonly knowsSecret: (key: string) => boolean },
): readonly TemplateChange[] => {
  const { name: _, ...company } = declared.company ?? {};
  const ofCompany = differingFields(present.company as unknown as Item, company);
  const changes: TemplateChange[] =
    ofCompany.length === 0 ? [] : [{ kind: "company", key: "company", action: "update", fields: ofCompany }];
  for (const list of templateLists) {
    const items = itemsOf(declared, list);
    if (items === undefined) continue;
    const stored = new Map(itemsOf(present, list)!.map((item) => [itemKey(list, item), item]));
    const { kind } = kindOf[list];
    for (const item of items) {
      const key = itemKey(list, item);
      const before = stored.get(key);
      stored.delete(key);
      if (before === undefined) changes.push({ kind, key, action: "create", fields: [] });
      else {
        const fields = differingFields(before, comparable(list, item, before, { prune, knowsSecret }));
        if (fields.length > 0) changes.push({ kind, key, action: "update", fields });
      }
    }
    if (prune) for (const key of stored.keys()) changes.push({ kind, key, action: "remove", fields: [] });
  }
  return changes;
};

/** The settings of an adapter that are declared and can be set now. */
export const declaredConfig = (config: Item, present: Item, knowsSecret: (key: string) => boolean): Item =>
  withKnownSecrets(withoutNulls(config), present, knowsSecret);

/** Returns a declared record in the form in which the present one is described. */
const comparable = (
  list: TemplateList,
  item: Item,
  before: Item,
  { prune, knowsSecret }: { readonly prune: boolean; readonly knowsSecret: (key: string) => boolean },
): Item => {
  // A label is the same in any case; its name changes only with its key.
  if (list === "labels") return { color: item.color };
  if (list === "agents") {
    const config = item.adapterConfig as Item | undefined;
    if (config === undefined) return item;
    return { ...item, adapterConfig: declaredConfig(config, before.adapterConfig as Item, knowsSecret) };
  }
  if (list === "routines") {
    const triggers = item.triggers as readonly DeclaredTrigger[] | undefined;
    return {
      ...item,
      triggers:
        triggers === undefined
          ? undefined
          : mergedTriggers(before.triggers as readonly TemplateTrigger[], triggers, prune).map(
              ({ merged }) => merged,
            ),
    };
  }
  return item;
};

const differingFields = (before: Item, after: Item): TemplateChange["fields"] =>
  Object.entries(after)
    .filter(([field, value]) => field !== "key" && value !== undefined && !sameJson(before[field], value))
    .map(([field, value]) => ({ field, before: before[field] ?? null, after: value }));

/** A trigger that is declared, stored, or both. */
export interface MergedTrigger {
  /** Its place among the stored ones; null: it is new. */
  readonly stored: number | null;
  /** Its declared state; null: it is removed. */
  readonly merged: TemplateTrigger | null;
}

const defaultsOfTrigger = (kind: TemplateTrigger["kind"]): TemplateTrigger => ({
  kind,
  label: null,
  enabled: true,
  ...(kind === "schedule" ? { timezone: "UTC" } : {}),
  ...(kind === "webhook" ? { signingMode: "bearer", replayWindowSec: 300 } : {}),
});

/** Joins declared triggers with the stored ones of the same kind and label, in order; the others stay unless pruned. */
export const joinTriggers = (
  stored: readonly TemplateTrigger[],
  declared: readonly DeclaredTrigger[],
  prune: boolean,
): readonly MergedTrigger[] => {
  const free = new Set(stored.keys());
  const joined = declared.map((trigger): MergedTrigger => {
    const at = [...free].find(
      (n) => stored[n]!.kind === trigger.kind && stored[n]!.label === (trigger.label ?? null),
    );
    if (at !== undefined) free.delete(at);
    const given = Object.fromEntries(Object.entries(trigger).filter(([, value]) => value !== undefined));
    const base = at === undefined ? defaultsOfTrigger(trigger.kind) : stored[at]!;
    return { stored: at ?? null, merged: { ...base, ...given } };
  });
  const others = [...free].map((n): MergedTrigger => ({ stored: n, merged: prune ? null : stored[n]! }));
  return [...joined, ...others];
};

const mergedTriggers = (
  stored: readonly TemplateTrigger[],
  declared: readonly DeclaredTrigger[],
  prune: boolean,
) =>
  // In stored order: another order does not count as a difference.
  joinTriggers(stored, declared, prune)
    .filter((each): each is MergedTrigger & { readonly merged: TemplateTrigger } => each.merged !== null)
    .toSorted((a, b) => (a.stored ?? stored.length) - (b.stored ?? stored.length));
