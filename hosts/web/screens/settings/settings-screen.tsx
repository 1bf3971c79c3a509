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

/** The cards of the screen, in their order. */
const topics = [
  { anchor: "company", label: "Company" },
  { anchor: "work", label: "Work" },
  { anchor: "house-rules", label: "House rules" },
  { anchor: "members", label: "Members" },
  { anchor: "grants", label: "Grants" },
  { anchor: "mcp-servers", label: "MCP servers" },
  { anchor: "events", label: "Events" },
  { anchor: "labels", label: "Labels" },
] as const;

/** The company itself, who may do what in it, and what its issues are sorted by: a navigation, and a card for each topic. */
export const SettingsScreen = () => {
  const { id } = useCompany();
  return (
    <Page title="Settings">
      <div className="settings">
        <nav className="settings-topics" aria-label="Settings">
          {topics.map(({ anchor, label }) => (
            // The document has a base, from which a fragment alone would lead.
            <a key={anchor} href={`${location.pathname}#${anchor}`}>
              {label}
            </a>
          ))}
        </nav>
        {/* What is typed belongs to one company. */}
        <div className="settings-cards" key={id}>
          <InOrder>
            <CompanyForm />
            <CompanyStatus />
            <HouseRules />
            <Members />
            <Grants />
            <McpServers />
            <EventSubscriptions />
            <Labels />
          </InOrder>
        </div>
      </div>
    </Page>
  );
};
