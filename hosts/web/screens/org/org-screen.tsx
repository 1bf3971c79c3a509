import { Empty } from "../../parts/empty.tsx";
import { Page } from "../../shell/page.tsx";

export const OrgScreen = () => (
  <Page title="Organisation">
    <Empty icon="network" title="This screen is being built" />
  </Page>
);
