import { openStatuses } from "../../../../core/model/issues/issue-status.ts";
import { type FilterName, type FilterValues, filterNames } from "./issue-filters.tsx";

/** A view that everybody has. */
export interface BuiltInView {
  readonly name: string;
  readonly values: Partial<FilterValues>;
}

export const builtInViews: readonly BuiltInView[] = [
  { name: "All", values: {} },
  { name: "Active", values: { status: openStatuses.filter((status) => status !== "backlog").join(",") } },
  { name: "Backlog", values: { status: "backlog" } },
  { name: "Mine", values: { assignee: "me" } },
];

/** The built-in view that is shown, narrowed further or not: that with the most filters that are all set. */
export const builtInViewOf = (values: FilterValues): BuiltInView => {
  const [all, ...others] = builtInViews;
  const set = others.filter((view) =>
    Object.entries(view.values).every(([name, value]) => values[name as FilterName] === value),
  );
  return set[0] ?? all!;
};

/** The filters that are set in addition to those of the view. */
export const filtersAdded = (values: FilterValues, view: BuiltInView | null): readonly FilterName[] =>
  filterNames.filter(
    (name) => name !== "q" && values[name] !== "" && values[name] !== (view?.values[name] ?? ""),
  );

/** The address of a built-in view, which keeps how the list is shown. */
export const addressOf = (view: BuiltInView, params: URLSearchParams): URLSearchParams => {
  const after = new URLSearchParams(params);
  after.delete("new");
  for (const name of filterNames) {
    const value = view.values[name] ?? "";
    if (value === "") after.delete(name);
    else after.set(name, value);
  }
  return after;
};
