import { Empty } from "../../parts/empty.tsx";
import { Page } from "../../shell/page.tsx";

export const AgentsScreen = () => (
  <Page title="Agents">
    <Empty icon="bot" title="This screen is being built" />
  </Page>
);
