import type { Entry } from "./entry.ts";
import { displays, kinds } from "./entry-words.ts";

export const groupings = ["kind", "issue", "age"] as const;
export type Grouping = (typeof groupings)[number];

export type Row =
  | { readonly type: "head"; readonly key: string; readonly label: string; readonly count: number }
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

/** The rows of the list: by age all under each other; else in groups, of which many alike are shown in part until they are opened. */
export const rowsOf = (
  entries: readonly Entry[],
  grouping: Grouping,
  opened: ReadonlySet<string>,
): readonly Row[] => {
  const row = (entry: Entry): Row => ({ type: "entry", key: entry.id, entry });
  if (grouping === "age") return entries.map(row);
  return (grouping === "kind" ? byKind : byIssue)(entries)
    .filter((group) => group.entries.length > 0)
    .flatMap(({ key, label, entries: all }) => {
      const isWhole = opened.has(key) || all.length <= shownAtFirst + 1;
      const shown = isWhole ? all : all.slice(0, shownAtFirst);
      return [
        { type: "head" as const, key: `head ${key}`, label, count: all.length },
        ...shown.map(row),
        ...(isWhole
          ? []
          : [{ type: "more" as const, key: `more ${key}`, group: key, count: all.length - shown.length }]),
      ];
    });
};
