import { type ComponentType, lazy } from "react";

type Load = () => Promise<Record<string, ComponentType>>;

const screen = (load: Load) =>
  lazy(async () => {
    const [only] = Object.values(await load());
    return { default: only! };
  });

/** Screens that belong to no company. */
export const rootScreens = [
  { path: "/inbox", screen: screen(() => import("../screens/inbox/inbox-screen.tsx")) },
  { path: "/new", screen: screen(() => import("../screens/first-run/first-run-screen.tsx")) },
  { path: "/instance", screen: screen(() => import("../screens/instance/instance-screen.tsx")) },
] as const;

/** Screens below `/:company`. */
export const companyScreens = [
  { path: "/pulse", screen: screen(() => import("../screens/pulse/pulse-screen.tsx")) },
  { path: "/issues", screen: screen(() => import("../screens/issues/issues-screen.tsx")) },
  { path: "/issues/:issue", screen: screen(() => import("../screens/issue/issue-screen.tsx")) },
  { path: "/agents", screen: screen(() => import("../screens/agents/agents-screen.tsx")) },
  { path: "/agents/:agent", screen: screen(() => import("../screens/agent/agent-screen.tsx")) },
  { path: "/org", screen: screen(() => import("../screens/org/org-screen.tsx")) },
  { path: "/runs", screen: screen(() => import("../screens/runs/runs-screen.tsx")) },
  { path: "/runs/:run", screen: screen(() => import("../screens/run/run-screen.tsx")) },
  { path: "/approvals", screen: screen(() => import("../screens/approvals/approvals-screen.tsx")) },
  { path: "/approvals/:approval", screen: screen(() => import("../screens/approval/approval-screen.tsx")) },
  { path: "/routines", screen: screen(() => import("../screens/routines/routines-screen.tsx")) },
  { path: "/routines/:routine", screen: screen(() => import("../screens/routine/routine-screen.tsx")) },
  { path: "/spend", screen: screen(() => import("../screens/spend/spend-screen.tsx")) },
  { path: "/spend/events", screen: screen(() => import("../screens/spend/cost-events-screen.tsx")) },
  { path: "/activity", screen: screen(() => import("../screens/activity/activity-screen.tsx")) },
  { path: "/secrets", screen: screen(() => import("../screens/secrets/secrets-screen.tsx")) },
  { path: "/settings", screen: screen(() => import("../screens/settings/settings-screen.tsx")) },
] as const;
