import { type RowOf, useRead } from "../../live/calls.ts";
import { useCompany } from "../companies/company.tsx";

type Entry = Pick<RowOf<"activity.list">, "entityType" | "entityId">;

/** Names things that entries are about, and whose own names the entries do not record; null: of another kind, or gone. */
export const useThingNames = (entries: readonly Entry[]): ((entry: Entry) => string | null) => {
  const { id: companyId } = useCompany();
  const isOf = (type: Entry["entityType"]) => ({ enabled: entries.some((each) => each.entityType === type) });
  const routines = useRead("routines.list", { companyId }, isOf("routine"));
  const projects = useRead("projects.list", { companyId, archived: true }, isOf("project"));
  const goals = useRead("goals.list", { companyId, archived: true }, isOf("goal"));
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
