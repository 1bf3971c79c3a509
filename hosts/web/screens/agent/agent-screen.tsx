import { type ComponentType, lazy, Suspense, useLayoutEffect, useRef } from "react";
import { useParams } from "wouter";
import { isUuid } from "../../../../core/model/shared/ids.ts";
import { useRead } from "../../live/calls.ts";
import { isMetered } from "../../live/metered.ts";
import type { Agent } from "../../live/records.ts";
import { useCompany, useHere } from "../../nouns/companies/company.tsx";
import { useOwnCompany } from "../../nouns/companies/own-company.ts";
import { useAddressTab } from "../../widgets/address-filter.ts";
import { Page } from "../../widgets/page.tsx";
import { Skeleton } from "../../widgets/skeleton.tsx";
import { Tabs } from "../../widgets/tabs.tsx";
import { Unread } from "../../widgets/unread.tsx";
import { AgentActions } from "./agent-actions.tsx";
import { AgentOverview } from "./agent-overview.tsx";

type TabView = ComponentType<{ readonly agent: Agent }>;

/** A tab whose code is loaded when the tab is shown, or soon will be. */
const later = (load: () => Promise<TabView>) => ({
  load,
  Shown: lazy(async () => ({ default: await load() })),
});

const tabNames = ["overview", "runs", "configuration", "access", "spend"] as const;

type TabName = (typeof tabNames)[number];

const laterTabs: Readonly<Record<Exclude<TabName, "overview">, ReturnType<typeof later>>> = {
  runs: later(async () => (await import("./agent-runs.tsx")).AgentRuns),
  configuration: later(async () => (await import("./agent-configuration.tsx")).AgentConfiguration),
  access: later(async () => (await import("./agent-access.tsx")).AgentAccess),
  spend: later(async () => (await import("./agent-spend.tsx")).AgentSpend),
};

const tabs = [
  { name: "overview", label: "Overview" },
  { name: "runs", label: "Runs" },
  { name: "configuration", label: "Configuration" },
  { name: "access", label: "Access" },
  { name: "spend", label: "Spend" },
] as const;

/** One agent: what it does and why, its runs, its configuration, what it may do, and what it costs. */
export const AgentScreen = () => {
  const { agent: agentId = "" } = useParams<{ agent: string }>();
  const here = useHere();
  const { id: companyId } = useCompany();
  // A urlKey is unique in its company only.
  const agent = useRead("agents.get", isUuid(agentId) ? { agentId } : { agentId, companyId });
  useOwnCompany(agent.data);
  const crumbs = [{ label: "Agents", to: here("/agents") }];
  if (agent.isPending || agent.isError)
    return (
      <Page title="Agent" crumbs={crumbs}>
        <Unread read={agent} />
      </Page>
    );
  return (
    <Page title={agent.data.name} crumbs={crumbs} actions={<AgentActions agent={agent.data} />}>
      <AgentTabs agent={agent.data} />
    </Page>
  );
};

const AgentTabs = ({ agent }: { readonly agent: Agent }) => {
  const [shown, show] = useAddressTab(tabNames);
  const element = useRef<HTMLDivElement>(null);
  useTabFromTop(element, shown);
  const Later = shown === "overview" ? null : laterTabs[shown].Shown;
  return (
    <div className="agent" ref={element}>
      <Tabs label={`About ${agent.name}`} tabs={tabs} shown={shown} onChange={show} onNear={beginTab}>
        <div className="agent-tab" key={shown}>
          {Later === null ? (
            <AgentOverview agent={agent} />
          ) : (
            <Suspense fallback={<Skeleton />}>
              <Later agent={agent} />
            </Suspense>
          )}
        </div>
      </Tabs>
    </div>
  );
};

/** Loads the code of a tab that will probably be shown. One that does not load now is loaded when it is shown. */
const beginTab = (name: TabName): void => {
  if (name !== "overview" && !isMetered()) laterTabs[name].load().catch(() => {});
};

/**
 * Shows another tab from its top, and the tab itself where a phone has no room for all. The focus of a link of the former one,
 * which is gone, moves to the tab.
 */
const useTabFromTop = (element: { readonly current: HTMLElement | null }, shown: TabName): void => {
  const former = useRef(shown);
  useLayoutEffect(() => {
    const tab = element.current?.querySelector<HTMLElement>('[role="tab"][aria-selected="true"]');
    tab?.scrollIntoView({ inline: "nearest", block: "nearest" });
    if (former.current === shown) return;
    former.current = shown;
    element.current?.closest(".page-body")?.scrollTo(0, 0);
    if (document.activeElement === document.body) tab?.focus({ preventScroll: true });
  }, [element, shown]);
};
