import { useRead } from "../../live/calls.ts";
import { Avatar } from "../../nouns/avatar.tsx";
import { useCompany } from "../../nouns/companies/company.tsx";
import { useNames } from "../../nouns/names.ts";
import { useAddressValue } from "../../widgets/address-filter.ts";
import { FilterMenu } from "../../widgets/filter-menu.tsx";

/** Narrows the list to what one agent or person did: `?actor=` of the address, by its id. */
export const useActorFilter = () => {
  const { id: companyId } = useCompany();
  const nameOf = useNames();
  const [id, choose] = useAddressValue("actor");
  const { data: agents = [] } = useRead("agents.list", { companyId });
  const { data: people = [] } = useRead("members.people", { companyId });
  const actors = [
    ...people.map(({ userId, name }) => ({ id: userId, name, kind: "person" as const })),
    ...agents.map((agent) => ({ id: agent.id, name: agent.name, kind: "agent" as const })),
  ];
  const menu = (
    <FilterMenu
      label="Filter by actor"
      shown={id === null ? "Anyone" : `${nameOf(id).name}`}
      isNarrowed={id !== null}
      items={[
        { label: "Anyone", isChosen: id === null, run: () => choose(null) },
        ...actors.map((actor) => ({
          label: actor.name,
          mark: <Avatar kind={actor.kind} name={actor.name} />,
          isChosen: actor.id === id,
          run: () => choose(actor.id),
        })),
      ]}
    />
  );
  return { id, menu };
};
