import type { InfiniteData, QueryClient } from "@tanstack/react-query";
import type { PageOf } from "../../library/client.ts";

interface Thing {
  readonly id: string;
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * Changes a thing wherever it is shown, ahead of the service's answer: in lists that came whole, in pages, and by itself.
 * Answers with what takes the change back, which leaves alone what was read or changed meanwhile.
 */
export const changeAhead = (
  queries: QueryClient,
  group: string,
  id: string,
  changes: Fields,
): (() => void) => {
  const isOfGroup = ({ queryKey: [name] }: { readonly queryKey: readonly unknown[] }) =>
    typeof name === "string" && name.startsWith(`${group}.`);
  const before = queries.getQueriesData({ predicate: isOfGroup });
  const change = (thing: Fields): Fields => ({ ...thing, ...changes });
  queries.setQueriesData({ predicate: isOfGroup }, (data: unknown) => changedIn(data, id, change));
  return () => {
    for (const [key, earlier] of before)
      changedIn(earlier, id, (was) => {
        const takeBack = (thing: Fields): Fields => ({ ...thing, ...fieldsTakenBack(thing, was, changes) });
        queries.setQueryData(key, (data: unknown) => changedIn(data, id, takeBack));
        return was;
      });
  };
};

/** The answer of a call with a thing in it changed. */
const changedIn = (data: unknown, id: string, change: (thing: Fields) => Fields): unknown => {
  const changed = (thing: unknown): unknown =>
    typeof thing === "object" && thing !== null && (thing as Thing).id === id
      ? change(thing as unknown as Fields)
      : thing;
  if (Array.isArray(data)) return data.map(changed);
  if (typeof data !== "object" || data === null) return data;
  if ("pages" in data) {
    const { pages } = data as InfiniteData<PageOf<unknown>>;
    return { ...data, pages: pages.map((page) => ({ ...page, items: page.items.map(changed) })) };
  }
  if ("items" in data) return { ...data, items: (data as PageOf<unknown>).items.map(changed) };
  return changed(data);
};

/** Of the changed fields, those that are still as the change has left them, as they were. */
const fieldsTakenBack = (thing: Fields, was: Fields, changes: Fields): Fields =>
  Object.fromEntries(
    Object.entries(changes).flatMap(([field, value]) =>
      thing[field] === value ? [[field, was[field]]] : [],
    ),
  );
