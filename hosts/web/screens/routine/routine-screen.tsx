import { Empty } from "../../parts/empty.tsx";
import { Page } from "../../shell/page.tsx";

export const RoutineScreen = () => (
  <Page title="Routine">
    <Empty icon="calendar-clock" title="This screen is being built" />
  </Page>
);
