import { Empty } from "../../parts/empty.tsx";
import { Page } from "../../shell/page.tsx";

export const PulseScreen = () => (
  <Page title="Pulse">
    <Empty icon="activity" title="This screen is being built" />
  </Page>
);
