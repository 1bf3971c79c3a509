import { useSearchParams } from "wouter";
import { FilterMenu } from "./filter-menu.tsx";

/** Whether a list has archived rows, too, as the address says it, and the control of it. */
export const useArchivedFilter = () => {
  const [params, setParams] = useSearchParams();
  const archived = params.has("archived");
  const show = (next: boolean) => setParams(next ? { archived: "" } : {}, { replace: true });
  const menu = (
    <search className="filters">
      <FilterMenu
        label="Filter by archived state"
        shown={archived ? "All" : "Active"}
        isNarrowed={archived}
        items={[
          { label: "Active", isChosen: !archived, run: () => show(false) },
          { label: "All", isChosen: archived, run: () => show(true) },
        ]}
      />
    </search>
  );
  return { archived, menu };
};
