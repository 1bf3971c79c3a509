import type { RowOf } from "../live/calls.ts";
import { approvalTypeWords } from "./approval/approval-words.ts";
import { moneyText } from "./money.tsx";
import { displayOf } from "./status.tsx";
import { wakeCause } from "./wake-cause.ts";
import { wordsOfKey } from "./words-of-key.ts";

type Entry = RowOf<"activity.list">;

const isText = (value: unknown): value is string => typeof value === "string" && value !== "";

const lower = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);

/** The fields that name the thing, the best first. */
const naming = ["identifier", "title", "name", "displayName", "key"];

/** Fields that say nothing to people, or nothing that another field does not. */
const silent = [...naming, "scope", "permission", "provider", "managedMode", "isDefault", "isAtLeast"];

const interactionWords: Readonly<Record<string, string>> = {
  request_confirmation: "confirmation",
  suggest_tasks: "suggested tasks",
  ask_user_questions: "questions",
  request_permission: "a request for permission",
};

const statusWord = (entityType: string, status: string): string =>
  displayOf(entityType === "heartbeat_run" ? "run" : entityType === "issue" ? "issue" : "other", status).word;

/** One detail in words; empty where it says nothing. */
const detailWords = (key: string, value: unknown, entityType: string): string => {
  if (Array.isArray(value)) {
    // Labels that were added or removed.
    const names = value.map((each: { readonly name?: unknown } | null) => each?.name).filter(isText);
    if (names.length > 0) return `${lower(wordsOfKey(key))} ${names.join(", ")}`;
    const words = value.filter(isText).map((each) => lower(wordsOfKey(each)));
    if (words.length === 0) return "";
    return key === "changed" ? words.join(", ") : `${lower(wordsOfKey(key))} ${words.join(", ")}`;
  }
  if (value === true) return lower(wordsOfKey(key));
  if (key.endsWith("Cents")) return `${lower(wordsOfKey(key.slice(0, -5)))} ${moneyText(Number(value))}`;
  if (typeof value === "number") return `${lower(wordsOfKey(key.replace("Number", "")))} ${value}`;
  if (!isText(value)) return "";
  switch (key) {
    case "bodySnippet":
      return value;
    case "reason":
      return lower(wakeCause(value));
    case "status":
      return lower(statusWord(entityType, value));
    case "previousStatus":
      return `was ${lower(statusWord(entityType, value))}`;
    case "kind":
      return interactionWords[value] ?? lower(wordsOfKey(value));
    case "role":
    case "source":
      return lower(wordsOfKey(value));
    default:
      return `${lower(wordsOfKey(key))} ${value.replaceAll("_", " ")}`;
  }
};

/** The name of the thing, and what else was recorded: "To do → In review". Ids say nothing to people. */
export const detailsOf = ({
  details,
  entityType,
}: Entry): { readonly name: string | null; readonly more: string } => {
  const { from, to, type, ...rest } = details;
  const asked = (approvalTypeWords as Readonly<Record<string, string | undefined>>)[String(type)];
  const names = naming.map((key) => details[key]).filter(isText);
  const [name = null, ...named] =
    entityType === "approval" ? [lower(asked ?? "An approval"), ...names] : names;
  const isMove = isText(from) && isText(to);
  const others = Object.entries(isMove ? rest : { from, to, ...rest })
    .filter(([key]) => !silent.includes(key) && !/Ids?$/.test(key))
    .map(([key, value]) => detailWords(key, value, entityType));
  const moved = isMove ? [`${statusWord(entityType, from)} → ${statusWord(entityType, to)}`] : [];
  return { name, more: [...named, ...moved, ...others].filter((each) => each !== "").join(" · ") };
};

/** The assignee of an issue: the id of an agent or a person. */
export const assigneeIdOf = ({ details }: Entry): string | null =>
  [details.agentId, details.userId].find(isText) ?? null;
