import { Empty } from "../../parts/empty.tsx";
import { Page } from "../../shell/page.tsx";

export const IssuesScreen = () => (
  <Page title="Issues">
    <Empty icon="circle-dot" title="This screen is being built" />
  </Page>
);
