import { useSession } from "../../live/session.ts";
import { Empty } from "../../widgets/empty.tsx";
import { InOrder } from "../../widgets/in-order.tsx";
import { Page } from "../../widgets/page.tsx";
import { Adapters } from "./adapters.tsx";
import { ArchivedCompanies } from "./archived-companies.tsx";
import { Backups } from "./backups.tsx";
import { BoardUsers } from "./board-users.tsx";
import { Health } from "./health.tsx";
import { Hosts } from "./hosts.tsx";
import { Runners } from "./runners.tsx";

/** The service itself: how it works, what runs agents in it, and who may use it. For instance admins. */
export const InstanceScreen = () => {
  const { inspect } = useSession().callerMay;
  return (
    <Page title="Instance">
      {inspect.allowed ? (
        <div className="instance">
          <InOrder>
            <Health />
            <Backups />
            <Hosts />
            <Adapters />
            <Runners />
            <BoardUsers />
            <ArchivedCompanies />
          </InOrder>
        </div>
      ) : (
        <Empty icon="lock" title="Only instance admins can see this page">
          They manage the service, its adapters and its users.
        </Empty>
      )}
    </Page>
  );
};
