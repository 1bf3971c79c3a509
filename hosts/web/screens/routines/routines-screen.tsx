import { Empty } from "../../parts/empty.tsx";
import { Page } from "../../shell/page.tsx";

export const RoutinesScreen = () => (
  <Page title="Routines">
    <Empty icon="calendar-clock" title="This screen is being built" />
  </Page>
);
