import { Empty } from "../../parts/empty.tsx";
import { Page } from "../../shell/page.tsx";

export const SettingsScreen = () => (
  <Page title="Settings">
    <Empty icon="settings" title="This screen is being built" />
  </Page>
);
