import { Empty } from "../../parts/empty.tsx";
import { Page } from "../../shell/page.tsx";

export const InstanceScreen = () => (
  <Page title="Instance">
    <Empty icon="settings" title="This screen is being built" />
  </Page>
);
