import { Empty } from "../../parts/empty.tsx";
import { Page } from "../../shell/page.tsx";

export const SecretsScreen = () => (
  <Page title="Secrets">
    <Empty icon="key-round" title="This screen is being built" />
  </Page>
);
