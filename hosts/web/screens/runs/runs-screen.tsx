import { Empty } from "../../parts/empty.tsx";
import { Page } from "../../shell/page.tsx";

export const RunsScreen = () => (
  <Page title="Runs">
    <Empty icon="terminal" title="This screen is being built" />
  </Page>
);
