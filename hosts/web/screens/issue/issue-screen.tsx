import { Empty } from "../../parts/empty.tsx";
import { Page } from "../../shell/page.tsx";

export const IssueScreen = () => (
  <Page title="Issue">
    <Empty icon="circle-dot" title="This screen is being built" />
  </Page>
);
