import { useSearchParams } from "wouter";
import { usePages } from "../../live/calls.ts";
import { Button } from "../../parts/button.tsx";
import { Empty } from "../../parts/empty.tsx";
import { ErrorView } from "../../parts/error-view.tsx";
import { SelectField } from "../../parts/field.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { useCompany } from "../../shell/company.tsx";
import { Page } from "../../shell/page.tsx";
import { ActivityTable } from "./activity-table.tsx";
import { entityWords } from "./entity-words.ts";

/** The audit trail: who did what to what, and when. The filter stands in the address. */
export const ActivityScreen = () => {
  const { id: companyId } = useCompany();
  const [params, setParams] = useSearchParams();
  const entityType = params.get("about") ?? "";
  const activity = usePages("activity.list", {
    companyId,
    ...(entityType === "" ? {} : { entityType }),
  });
  return (
    <Page title="Activity">
      <div className="activity-filter">
        <SelectField
          label="About"
          name="about"
          bare
          value={entityType}
          onChange={({ target: { value } }) => setParams(value === "" ? {} : { about: value })}
          options={[
            { value: "", label: "About everything" },
            ...Object.entries(entityWords).map(([value, label]) => ({ value, label })),
          ]}
        />
      </div>
      {activity.isPending ? (
        <Skeleton />
      ) : activity.isError ? (
        <ErrorView error={activity.error} retry={() => void activity.refetch()} />
      ) : activity.rows.length === 0 ? (
        <Empty
          icon="scroll-text"
          title="Nothing of that kind has happened"
          action={
            entityType === "" ? undefined : (
              <Button onClick={() => setParams({})}>Show what is about everything</Button>
            )
          }
        >
          Every change is written here, with who made it.
        </Empty>
      ) : (
        <>
          <ActivityTable rows={activity.rows} />
          {activity.hasNextPage ? (
            <div className="activity-more">
              <Button busy={activity.isFetchingNextPage} onClick={activity.more ?? undefined}>
                Show more
              </Button>
            </div>
          ) : null}
        </>
      )}
    </Page>
  );
};
