import type { InfiniteData, QueryClient } from "@tanstack/react-query";
import type { PageOf } from "../../library/client.ts";

interface Thing {
  readonly id: string;
}

/**
 * Changes a thing wherever it is shown, ahead of the service's answer: in lists that came whole, in pages, and by itself.
 * Answers with what takes the change back.
 */
export const changeAhead = (
  queries: QueryClient,
  group: string,
  id: string,
  changes: Readonly<Record<string, unknown>>,
): (() => void) => {
  const isOfGroup = ({ queryKey: [name] }: { readonly queryKey: readonly unknown[] }) =>
    typeof name === "string" && name.startsWith(`${group}.`);
  const before = queries.getQueriesData({ predicate: isOfGroup });
  const changed = (thing: unknown): unknown =>
    typeof thing === "object" && thing !== null && (thing as Thing).id === id
      ? { ...thing, ...changes }
      : thing;
  queries.setQueriesData({ predicate: isOfGroup }, (data: unknown) => {
    if (Array.isArray(data)) return data.map(changed);
    if (typeof data !== "object" || data === null) return data;
    if ("pages" in data) {
      const { pages } = data as InfiniteData<PageOf<unknown>>;
      return { ...data, pages: pages.map((page) => ({ ...page, items: page.items.map(changed) })) };
    }
    if ("items" in data) return { ...data, items: (data as PageOf<unknown>).items.map(changed) };
    return changed(data);
  });
  return () => {
    for (const [key, data] of before) queries.setQueryData(key, data);
  };
};
