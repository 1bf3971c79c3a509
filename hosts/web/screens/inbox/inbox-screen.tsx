import { Empty } from "../../parts/empty.tsx";
import { Page } from "../../shell/page.tsx";

export const InboxScreen = () => (
  <Page title="Inbox">
    <Empty icon="inbox" title="This screen is being built" />
  </Page>
);
