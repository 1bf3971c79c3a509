import { Empty } from "../../parts/empty.tsx";
import { Page } from "../../shell/page.tsx";

export const RunScreen = () => (
  <Page title="Run">
    <Empty icon="terminal" title="This screen is being built" />
  </Page>
);
