import { type Queries, type RowOf, readBefore, useRead } from "../../live/calls.ts";
import { useCompany } from "../companies/company.tsx";

type Entry = Pick<RowOf<"activity.list">, "entityType" | "entityId">;

/** With those that are archived, which are named, too. */
const allIn = (companyId: string) => ({ companyId, archived: true }) as const;

/** Names things that entries are about, and whose own names the entries do not record; null: of another kind, or gone. */
export const useThingNames = (entries: readonly Entry[]): ((entry: Entry) => string | null) => {
  const { id: companyId } = useCompany();
  const isOf = (type: Entry["entityType"]) => ({ enabled: entries.some((each) => each.entityType === type) });
  const routines = useRead("routines.list", { companyId }, isOf("routine"));
  const projects = useRead("projects.list", allIn(companyId), isOf("project"));
  const goals = useRead("goals.list", allIn(companyId), isOf("goal"));
  return ({ entityType, entityId }) => {
    const isIt = ({ id }: { readonly id: string }) => id === entityId;
    switch (entityType) {
      case "routine":
        return routines.data?.find(isIt)?.title ?? null;
      case "project":
        return projects.data?.items.find(isIt)?.name ?? null;
      case "goal":
        return goals.data?.items.find(isIt)?.title ?? null;
      default:
        return null;
    }
  };
};

/** Begins to read the names of the things that these entries are about, where they aren't kept yet. */
export const readThingNamesBefore = (
  queries: Queries,
  companyId: string,
  entries: readonly Entry[],
): void => {
  const types = new Set(entries.map(({ entityType }) => entityType));
  if (types.has("routine")) void readBefore(queries, "routines.list", { companyId });
  if (types.has("project")) void readBefore(queries, "projects.list", allIn(companyId));
  if (types.has("goal")) void readBefore(queries, "goals.list", allIn(companyId));
};
