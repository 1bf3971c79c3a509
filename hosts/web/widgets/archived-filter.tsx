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
        label="Filter by archive"
        shown={archived ? "With archived" : "Not archived"}
        isNarrowed={archived}
        items={[
          { label: "Not archived", isChosen: !archived, run: () => show(false) },
          { label: "With archived", isChosen: archived, run: () => show(true) },
        ]}
      />
    </search>
  );
  return { archived, menu };
};
