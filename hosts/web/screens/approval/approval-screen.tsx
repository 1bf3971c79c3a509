import { Empty } from "../../parts/empty.tsx";
import { Page } from "../../shell/page.tsx";

export const ApprovalScreen = () => (
  <Page title="Approval">
    <Empty icon="shield-check" title="This screen is being built" />
  </Page>
);
