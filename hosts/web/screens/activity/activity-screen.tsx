import { useSearchParams } from "wouter";
import type { EntityType } from "../../../../core/model/activity/activity-entry.ts";
import { usePages } from "../../live/calls.ts";
import { ActivityList } from "../../nouns/activity/activity-list.tsx";
import { useCompany, useHere } from "../../nouns/companies/company.tsx";
import { useAddressValue } from "../../widgets/address-filter.ts";
import { Button, LinkButton } from "../../widgets/button.tsx";
import { useDayFilter } from "../../widgets/day-filter.tsx";
import { Empty } from "../../widgets/empty.tsx";
import { FilterMenu } from "../../widgets/filter-menu.tsx";
import { FindField } from "../../widgets/find-field.tsx";
import { Page } from "../../widgets/page.tsx";
import { Pages } from "../../widgets/pages.tsx";
import { useActorFilter } from "./actor-filter.tsx";
import { entityLabels } from "./entity-labels.ts";
import { ExportActivity } from "./export-activity.tsx";

/** The filters of the list, as the address says them, and the controls that change them. */
const useActivityFilter = () => {
  const [search, find] = useAddressValue("q");
  const [entityType, chooseType] = useAddressValue("about");
  const actor = useActorFilter();
  const { period, menu: dayMenu } = useDayFilter();
  const query = {
    ...(search === null ? {} : { q: search }),
    ...(entityType === null ? {} : { entityType }),
    ...(actor.id === null ? {} : { actorId: actor.id }),
    ...period,
  };
  const controls = (
    <search className="filters">
      <FindField label="Find in activity" value={search ?? ""} onChange={find} />
      <FilterMenu
        label="Filter by type"
        shown={entityLabels[entityType as EntityType] ?? "All types"}
        isNarrowed={entityType !== null}
        items={[
          { label: "All types", isChosen: entityType === null, run: () => chooseType(null) },
          ...Object.entries(entityLabels).map(([value, label]) => ({
            label,
            isChosen: entityType === value,
            run: () => chooseType(value),
          })),
        ]}
      />
      {actor.menu}
      {dayMenu}
    </search>
  );
  return { query, isNarrowed: Object.keys(query).length > 0, controls };
};

/** The audit trail: who did what to what, and when. */
export const ActivityScreen = () => {
  const { id: companyId, issuePrefix } = useCompany();
  const here = useHere();
  const [, setParams] = useSearchParams();
  const { query, isNarrowed, controls } = useActivityFilter();
  const activity = usePages("activity.list", { companyId, ...query });
  return (
    <Page
      title="Activity"
      actions={
        <ExportActivity
          asked={{ companyId, ...query }}
          name={`activity-${issuePrefix}-${new Date().toISOString().slice(0, 10)}`}
        />
      }
    >
      {controls}
      <Pages
        of={activity}
        empty={
          isNarrowed ? (
            <Empty
              icon="list-filter"
              title="No matching activity"
              action={<Button onClick={() => setParams({}, { replace: true })}>Clear filters</Button>}
            />
          ) : (
            <Empty
              icon="scroll-text"
              title="No activity yet"
              action={<LinkButton to={here("/issues?new")}>Create issue</LinkButton>}
            >
              Every change shows up here, with who made it.
            </Empty>
          )
        }
      >
        <ActivityList label="Activity log" entries={activity.rows} />
      </Pages>
    </Page>
  );
};
