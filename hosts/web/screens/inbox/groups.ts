import type { Entry } from "./entry.ts";
import { displays, kinds } from "./entry-display.ts";

export const groupings = ["kind", "issue", "age"] as const;
export type Grouping = (typeof groupings)[number];

export type Row =
  | { readonly type: "head"; readonly key: string; readonly label: string; readonly count: number }
  /** Failures with one reason: the first of them is below it. */
  | { readonly type: "same"; readonly key: string; readonly entries: readonly Entry[] }
  | { readonly type: "entry"; readonly key: string; readonly entry: Entry }
  | { readonly type: "more"; readonly key: string; readonly group: string; readonly count: number };

/** A group shows so many at first, where it has more than one row beyond. */
const shownAtFirst = 6;

interface Group {
  readonly key: string;
  readonly label: string;
  readonly entries: readonly Entry[];
}

const byKind = (entries: readonly Entry[]): readonly Group[] =>
  kinds.map((kind) => ({
    key: kind,
    label: displays[kind].label,
    entries: entries.filter((entry) => entry.kind === kind),
  }));

const byIssue = (entries: readonly Entry[]): readonly Group[] => {
  const groups = new Map<string, Entry[]>();
  for (const entry of entries) {
    const key = entry.issue?.id ?? "none";
    groups.set(key, [...(groups.get(key) ?? []), entry]);
  }
  return [...groups].map(([key, of]) => {
    const { issue } = of[0]!;
    return { key, label: issue === null ? "No issue" : `${issue.identifier} ${issue.title}`, entries: of };
  });
};

/** The kinds of failures that repeat. */
const repeating: readonly Entry["kind"][] = ["failed_run", "agent_error"];

/** Failures of one company with one reason. */
const causeOf = ({ kind, companyId, reason }: Entry): string | null =>
  repeating.includes(kind) ? `${kind} ${companyId} ${reason}` : null;

const rowOf = (entry: Entry): Row => ({ type: "entry", key: entry.id, entry });

/** So many at first, and the others when they are opened. */
const partOf = (key: string, entries: readonly Entry[], most: number, isOpened: boolean): readonly Row[] => {
  if (isOpened || entries.length <= most) return entries.map(rowOf);
  const count = entries.length - most;
  return [...entries.slice(0, most).map(rowOf), { type: "more", key: `more ${key}`, group: key, count }];
};

/** Failures that repeat stand together, before the others. */
const rowsOfGroup = ({ key, entries }: Group, opened: ReadonlySet<string>): readonly Row[] => {
  const alike = new Map<string, readonly Entry[]>();
  for (const entry of entries) {
    const cause = causeOf(entry);
    if (cause !== null) alike.set(cause, [...(alike.get(cause) ?? []), entry]);
  }
  const repeated = [...alike].filter(([, of]) => of.length > 1);
  const isRepeated = (entry: Entry) => repeated.some(([, of]) => of.includes(entry));
  const single = entries.filter((entry) => !isRepeated(entry));
  const isWhole = single.length <= shownAtFirst + 1;
  return [
    ...repeated.flatMap(([cause, of]): readonly Row[] => [
      { type: "same", key: `same ${key} ${cause}`, entries: of },
      ...partOf(`${key} ${cause}`, of, 1, opened.has(`${key} ${cause}`)),
    ]),
    ...partOf(key, single, shownAtFirst, isWhole || opened.has(key)),
  ];
};

/** The rows of the list: by age all under each other; else in groups, of which many alike are shown in part until they are opened. */
export const rowsOf = (
  entries: readonly Entry[],
  grouping: Grouping,
  opened: ReadonlySet<string>,
): readonly Row[] => {
  if (grouping === "age") return entries.map(rowOf);
  return (grouping === "kind" ? byKind : byIssue)(entries)
    .filter((group) => group.entries.length > 0)
    .flatMap((group) => [
      { type: "head" as const, key: `head ${group.key}`, label: group.label, count: group.entries.length },
      ...rowsOfGroup(group, opened),
    ]);
};
