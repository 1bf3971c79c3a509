import { useCompany } from "../../nouns/companies/company.tsx";
import { InOrder } from "../../widgets/in-order.tsx";
import { Page } from "../../widgets/page.tsx";
import { CompanyForm } from "./company-form.tsx";
import { CompanyStatus } from "./company-status.tsx";
import { EventSubscriptions } from "./event-subscriptions.tsx";
import { Grants } from "./grants.tsx";
import { HouseRules } from "./house-rules.tsx";
import { Labels } from "./labels.tsx";
import { McpServers } from "./mcp-servers.tsx";
import { Members } from "./members.tsx";
import { Repositories } from "./repositories.tsx";

/** The company itself, who may do what in it, and what its issues are sorted by. */
export const SettingsScreen = () => {
  const { id } = useCompany();
  return (
    <Page title="Settings">
      {/* What is typed belongs to one company. */}
      <div className="sections settings" key={id}>
        <InOrder>
          <CompanyForm />
          <CompanyStatus />
          <HouseRules />
          <Members />
          <Grants />
          <Repositories />
          <McpServers />
          <EventSubscriptions />
          <Labels />
        </InOrder>
      </div>
    </Page>
  );
};
