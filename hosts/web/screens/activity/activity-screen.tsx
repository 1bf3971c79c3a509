import { useSearchParams } from "wouter";
import type { EntityType } from "../../../../core/activity/activity-entry.ts";
import { usePages } from "../../live/calls.ts";
import { ActivityList } from "../../parts/activity-list.tsx";
import { Button, LinkButton } from "../../parts/button.tsx";
import { Empty } from "../../parts/empty.tsx";
import { FilterMenu } from "../../parts/filter-menu.tsx";
import { Pages } from "../../parts/pages.tsx";
import { useCompany, useHere } from "../../shell/company.tsx";
import { Page } from "../../shell/page.tsx";
import { entityWords } from "./entity-words.ts";

/** The audit trail: who did what to what, and when. The filter stands in the address. */
export const ActivityScreen = () => {
  const { id: companyId } = useCompany();
  const here = useHere();
  const [params, setParams] = useSearchParams();
  const entityType = params.get("about") ?? "";
  const activity = usePages("activity.list", {
    companyId,
    ...(entityType === "" ? {} : { entityType }),
  });
  return (
    <Page title="Activity">
      <search className="filters">
        <FilterMenu
          label="Filter by what it is about"
          shown={entityWords[entityType as EntityType] ?? "About everything"}
          isNarrowed={entityType !== ""}
          items={[
            { label: "About everything", isChosen: entityType === "", run: () => setParams({}) },
            ...Object.entries(entityWords).map(([value, label]) => ({
              label,
              isChosen: entityType === value,
              run: () => setParams({ about: value }),
            })),
          ]}
        />
      </search>
      <Pages
        of={activity}
        empty={
          <Empty
            icon="scroll-text"
            title={entityType === "" ? "Nothing has happened yet" : "Nothing of that kind has happened"}
            action={
              entityType === "" ? (
                <LinkButton to={here("/issues?new")}>Write an issue</LinkButton>
              ) : (
                <Button onClick={() => setParams({})}>Show what is about everything</Button>
              )
            }
          >
            Every change is written here, with who made it.
          </Empty>
        }
      >
        <ActivityList label="What has happened" entries={activity.rows} />
      </Pages>
    </Page>
  );
};
