import { Link, useSearchParams } from "wouter";
import { type RunStatus, runStatuses } from "../../../../core/runs/run-status.ts";
import { usePages } from "../../live/calls.ts";
import { Button } from "../../parts/button.tsx";
import { Empty } from "../../parts/empty.tsx";
import { ErrorView } from "../../parts/error-view.tsx";
import { SelectField } from "../../parts/field.tsx";
import { RunTable } from "../../parts/run-table.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { lookOf } from "../../parts/status.tsx";
import { useCompany, useHere } from "../../shell/company.tsx";
import { Page } from "../../shell/page.tsx";

/** What agents did, newest first. */
export const RunsScreen = () => {
  const { id: companyId } = useCompany();
  const here = useHere();
  const [params, setParams] = useSearchParams();
  const status = runStatuses.find((each) => each === params.get("status"));
  const runs = usePages("runs.list", { companyId, limit: 100, ...(status ? { status: [status] } : {}) });
  return (
    <Page title="Runs">
      <div className="runs-filter">
        <SelectField
          label="Status"
          name="status"
          bare
          value={status ?? ""}
          onChange={(event) => setParams(event.target.value === "" ? {} : { status: event.target.value })}
          options={[
            { value: "", label: "All runs" },
            ...runStatuses.map((value: RunStatus) => ({ value, label: lookOf("run", value).word })),
          ]}
        />
      </div>
      {runs.isPending ? (
        <Skeleton />
      ) : runs.isError ? (
        <ErrorView error={runs.error} retry={() => void runs.refetch()} />
      ) : runs.rows.length === 0 ? (
        <Empty icon="terminal" title={status === undefined ? "No run yet" : "No run is like that"}>
          An agent runs when it is woken: <Link href={here("/issues")}>give it an issue</Link>.
        </Empty>
      ) : (
        <>
          <RunTable label="Runs" runs={runs.rows} pathOf={(id) => here(`/runs/${id}`)} />
          {runs.more === null ? null : <Button onClick={runs.more}>Show more</Button>}
        </>
      )}
    </Page>
  );
};
