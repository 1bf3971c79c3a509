import { useHere } from "../../nouns/companies/company.tsx";
import { FilteredRuns } from "../../nouns/runs/filtered-runs.tsx";
import { Page } from "../../widgets/page.tsx";

/** The runs of a company. */
export const RunsScreen = () => {
  const here = useHere();
  return (
    <Page title="Runs">
      <FilteredRuns agentId={null} path={here("/runs")} />
    </Page>
  );
};
