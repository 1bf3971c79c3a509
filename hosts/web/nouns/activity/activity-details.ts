import type { EntityType } from "../../../../core/model/activity/activity-entry.ts";
import type { InteractionKind } from "../../../../core/model/issues/interactions/interaction-status.ts";
import type { RawLfsFiles } from "../../../../core/model/repositories/merge.ts";
import type { RowOf } from "../../live/calls.ts";
import { humanizeKey } from "../../widgets/humanize-key.ts";
import { locale } from "../../widgets/locale.ts";
import { moneyText } from "../../widgets/money.tsx";
import { signInLabels } from "../access/sign-in-labels.ts";
import { approvalTypeLabels } from "../approvals/approval-labels.ts";
import { wakeCause } from "../runs/wake-cause.ts";
import { displayOf } from "../status.tsx";

type Entry = RowOf<"activity.list">;

const isText = (value: unknown): value is string => typeof value === "string" && value !== "";

const lower = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);

/** The fields that name the thing, the best first. */
const naming = ["identifier", "title", "name", "displayName", "key"];

/** Fields that say nothing to people, or nothing that another field does not. */
const silent = [
  ...naming,
  "scope",
  "permission",
  "provider",
  "managedMode",
  "isDefault",
  "isAtLeast",
  "costCents",
  "costStatus",
];

const interactionLabels: Readonly<Record<InteractionKind, string>> = {
  request_confirmation: "confirmation",
  suggest_tasks: "suggested tasks",
  ask_user_questions: "questions",
  request_permission: "a request for permission",
};

const statusLabel = (entityType: EntityType, status: string): string =>
  displayOf(entityType === "heartbeat_run" ? "run" : entityType === "issue" ? "issue" : "other", status)
    .label;

/** Files that a merge brought without Git LFS, although they belong there. */
const rawLfsText = ({ files, count, isCut }: RawLfsFiles): string => {
  if (count === 0) return "not all files were checked for Git LFS";
  const more = count > files.length ? ` and ${(count - files.length).toLocaleString(locale)} more` : "";
  return `missing from Git LFS despite .gitattributes: ${files.join(", ")}${more}${isCut ? " (not all files were checked)" : ""}`;
};

/** One detail in words; empty where it says nothing. */
const detailText = (key: string, value: unknown, entityType: EntityType): string => {
  if (key === "rawLfsFiles") return rawLfsText(value as RawLfsFiles);
  if (Array.isArray(value)) {
    // Labels that were added or removed.
    const names = value.map((each: { readonly name?: unknown } | null) => each?.name).filter(isText);
    if (names.length > 0) return `${lower(humanizeKey(key))} ${names.join(", ")}`;
    const labels = value.filter(isText).map((each) => lower(humanizeKey(each)));
    if (labels.length === 0) return "";
    return key === "changed" ? labels.join(", ") : `${lower(humanizeKey(key))} ${labels.join(", ")}`;
  }
  if (value === true) return lower(humanizeKey(key));
  if (key.endsWith("Cents")) return `${lower(humanizeKey(key.slice(0, -5)))} ${moneyText(Number(value))}`;
  if (typeof value === "number") return `${lower(humanizeKey(key.replace("Number", "")))} ${value}`;
  if (!isText(value)) return "";
  switch (key) {
    case "method":
      return (signInLabels as Readonly<Record<string, string | undefined>>)[value] ?? value;
    case "bodySnippet":
    case "model":
      return value;
    case "errorCode":
      return value.replaceAll("_", " ");
    case "reason":
      return lower(wakeCause(value));
    case "status":
      return lower(statusLabel(entityType, value));
    case "previousStatus":
      return `was ${lower(statusLabel(entityType, value))}`;
    case "kind":
      return (
        (interactionLabels as Readonly<Record<string, string | undefined>>)[value] ??
        lower(humanizeKey(value))
      );
    case "role":
    case "source":
      return lower(humanizeKey(value));
    default:
      return `${lower(humanizeKey(key))} ${value.replaceAll("_", " ")}`;
  }
};

/** As the core records it (`core/model/activity/differences.ts`). */
interface Difference {
  readonly field: string;
  readonly from: string | number | boolean | null;
  readonly to: string | number | boolean | null;
}

const isOfAgent = /^(reportsTo|(lead|owner|assignee)AgentId)$/;

/** "Priority: medium → high"; of what only has an id, the name of the field. */
const differenceText = (
  { field, from, to }: Difference,
  entityType: EntityType,
  nameOf: (id: string) => string,
): string => {
  const name = field === "budgetMonthlyCents" ? "monthly budget" : lower(humanizeKey(field));
  const valueText = (value: Difference["from"]): string => {
    if (value === null) return "none";
    if (field.endsWith("Cents")) return moneyText(Number(value));
    if (field === "status") return lower(statusLabel(entityType, String(value)));
    if (isOfAgent.test(field)) return nameOf(String(value));
    if (typeof value === "boolean") return value ? "yes" : "no";
    return typeof value === "number" ? value.toLocaleString(locale) : value.replaceAll("_", " ");
  };
  return field.endsWith("Id") && !isOfAgent.test(field)
    ? name
    : `${name}: ${valueText(from)} → ${valueText(to)}`;
};

/** The name of the thing, and what else was recorded: "To do → In review". Ids say nothing to people. */
export const detailsOf = (
  { details, entityType, entityId }: Entry,
  nameOf: (id: string) => string,
): { readonly name: string | null; readonly more: string } => {
  const { from, to, type, differences, ...rest } = details;
  const compared = Array.isArray(differences) ? (differences as readonly Difference[]) : [];
  const isCompared = (field: unknown) => compared.some((each) => each.field === field);
  const asked = (approvalTypeLabels as Readonly<Record<string, string | undefined>>)[String(type)];
  const names = naming.map((key) => details[key]).filter(isText);
  const [name = null, ...named] =
    entityType === "approval"
      ? [lower(asked ?? "An approval"), ...names]
      : entityType === "cost_event"
        ? [details.costStatus === "unknown" ? "unknown" : moneyText(Number(details.costCents))]
        : "keyId" in details
          ? // The entry is about the agent; the name is that of its key.
            [nameOf(entityId), ...names]
          : names;
  const isMove = isText(from) && isText(to);
  const others = Object.entries(isMove ? rest : { from, to, ...rest })
    .filter(([key]) => !silent.includes(key) && !/Ids?$/.test(key))
    .map(([key, value]) =>
      detailText(
        key,
        key === "changed" && Array.isArray(value) ? value.filter((field) => !isCompared(field)) : value,
        entityType,
      ),
    );
  const changes = compared.map((each) => differenceText(each, entityType, nameOf));
  const moved = isMove ? [`${statusLabel(entityType, from)} → ${statusLabel(entityType, to)}`] : [];
  return {
    name,
    more: [...named, ...moved, ...changes, ...others].filter((each) => each !== "").join(" · "),
  };
};

/** The assignee of an issue: the id of an agent or a person. */
export const assigneeIdOf = ({ details }: Entry): string | null =>
  [details.agentId, details.userId].find(isText) ?? null;
