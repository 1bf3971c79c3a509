import { Empty } from "../../parts/empty.tsx";
import { Page } from "../../shell/page.tsx";

export const ActivityScreen = () => (
  <Page title="Activity">
    <Empty icon="scroll-text" title="This screen is being built" />
  </Page>
);
