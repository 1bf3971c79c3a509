import { Empty } from "../../parts/empty.tsx";
import { Page } from "../../shell/page.tsx";

export const AgentScreen = () => (
  <Page title="Agent">
    <Empty icon="bot" title="This screen is being built" />
  </Page>
);
