import { Empty } from "../../parts/empty.tsx";
import { Page } from "../../shell/page.tsx";

export const SpendScreen = () => (
  <Page title="Spend">
    <Empty icon="wallet" title="This screen is being built" />
  </Page>
);
