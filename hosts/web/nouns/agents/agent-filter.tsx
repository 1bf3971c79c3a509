import { useRead } from "../../live/calls.ts";
import { useAddressValue } from "../../widgets/address-filter.ts";
import { FilterMenu } from "../../widgets/filter-menu.tsx";
import { useCompany } from "../companies/company.tsx";

/** Narrows a list to what one agent did: `?agent=` of the address, by its id. */
export const useAgentFilter = () => {
  const { id: companyId } = useCompany();
  const [id, choose] = useAddressValue("agent");
  const { data: agents = [] } = useRead("agents.list", { companyId });
  const menu = (
    <FilterMenu
      label="Filter by agent"
      shown={id === null ? "Any agent" : (agents.find((each) => each.id === id)?.name ?? "One agent")}
      isNarrowed={id !== null}
      items={[
        { label: "Any agent", isChosen: id === null, run: () => choose(null) },
        ...agents.map((each) => ({
          label: each.name,
          isChosen: each.id === id,
          run: () => choose(each.id),
        })),
      ]}
    />
  );
  return { id, choose, menu };
};
