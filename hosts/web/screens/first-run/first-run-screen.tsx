import { Empty } from "../../parts/empty.tsx";
import { Page } from "../../shell/page.tsx";

export const FirstRunScreen = () => (
  <Page title="New company">
    <Empty icon="building" title="This screen is being built" />
  </Page>
);
