import { type ComponentType, useEffect, useState } from "react";
import { isMetered } from "../live/metered.ts";
import { NotLoaded, Waiting } from "./waiting.tsx";

type Load = () => Promise<Record<string, ComponentType>>;

interface Loaded {
  readonly Shown: ComponentType;
}

/**
 * Makes a screen whose code is loaded before it is shown. Not by React's `lazy`: that never loads again after a failure,
 * and takes 30 ms longer from the code to the screen.
 */
const screen = (of: Load) => {
  let loaded: Loaded | null = null;
  let loading: Promise<Loaded> | null = null;
  const load = (): Promise<Loaded> => {
    loading ??= of().then(
      (module) => {
        loaded = { Shown: Object.values(module)[0]! };
        return loaded;
      },
      (error) => {
        loading = null;
        throw error;
      },
    );
    return loading;
  };
  const Screen = () => {
    const [code, setCode] = useState(loaded);
    const [hasFailed, setFailed] = useState(false);
    useEffect(() => {
      if (code === null && !hasFailed) load().then(setCode, () => setFailed(true));
    }, [code, hasFailed]);
    if (hasFailed) return <NotLoaded onAgain={() => setFailed(false)} />;
    return code === null ? <Waiting /> : <code.Shown />;
  };
  return Object.assign(Screen, { load });
};

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
  { path: "/projects", screen: screen(() => import("../screens/projects/projects-screen.tsx")) },
  { path: "/projects/:project", screen: screen(() => import("../screens/projects/project-screen.tsx")) },
  { path: "/goals", screen: screen(() => import("../screens/goals/goals-screen.tsx")) },
  { path: "/goals/:goal", screen: screen(() => import("../screens/goals/goal-screen.tsx")) },
  { path: "/routines", screen: screen(() => import("../screens/routines/routines-screen.tsx")) },
  { path: "/routines/:routine", screen: screen(() => import("../screens/routine/routine-screen.tsx")) },
  { path: "/spend", screen: screen(() => import("../screens/spend/spend-screen.tsx")) },
  { path: "/spend/events", screen: screen(() => import("../screens/spend/cost-events-screen.tsx")) },
  { path: "/activity", screen: screen(() => import("../screens/activity/activity-screen.tsx")) },
  { path: "/secrets", screen: screen(() => import("../screens/secrets/secrets-screen.tsx")) },
  { path: "/settings", screen: screen(() => import("../screens/settings/settings-screen.tsx")) },
] as const;

/** Screens that belong to no company. */
export const rootScreens = [
  { path: "/inbox", screen: screen(() => import("../screens/inbox/inbox-screen.tsx")) },
  { path: "/new", screen: screen(() => import("../screens/first-run/first-run-screen.tsx")) },
  { path: "/profile", screen: screen(() => import("../screens/profile/profile-screen.tsx")) },
  { path: "/oauth/authorize", screen: screen(() => import("../screens/assistant/connect-screen.tsx")) },
  { path: "/instance", screen: screen(() => import("../screens/instance/instance-screen.tsx")) },
] as const;

/** Shown for the path of a company's screen without the company. */
export const WithoutCompany = screen(() => import("./without-company.tsx"));

const isAt = (pattern: string, path: string): boolean => {
  const [wanted, given] = [pattern.split("/"), path.split("/")];
  return (
    wanted.length === given.length && wanted.every((each, n) => each.startsWith(":") || each === given[n])
  );
};

/** Whether a path is that of a screen of a company, without the company. */
export const isCompanyScreen = (path: string): boolean =>
  companyScreens.some((each) => isAt(each.path, path.replace(/\/+$/, "").toLowerCase()));

const screenAt = (path: string) =>
  (
    rootScreens.find((each) => isAt(each.path, path === "/" ? "/inbox" : path)) ??
    companyScreens.find((each) => isAt(`/:company${each.path}`, path))
  )?.screen;

/** Begins to load the screen of a path, which is about to be shown. */
export const beginScreenAt = (path: string): void => {
  void screenAt(path)
    ?.load()
    .catch(() => {});
};

/**
 * Begins to load the screens of links that are pointed at or focused: most of them are there by the click. Not on a metered
 * connection.
 */
export const beginScreensOfLinks = (basePath: string): void => {
  const begin = ({ target }: Event) => {
    const link = target instanceof Element ? target.closest<HTMLAnchorElement>("a[href]") : null;
    if (link?.origin === location.origin && !isMetered()) beginScreenAt(link.pathname.slice(basePath.length));
  };
  for (const event of ["pointerover", "focusin"]) document.addEventListener(event, begin, { passive: true });
};

/** Where people go next as a rule, also by keys. */
const usualPaths = ["/inbox", "/x/issues", "/x/issues/x", "/x/pulse", "/x/agents", "/x/runs/x"];

/** Loads the usual next screens, one after the other while the page has nothing else to do; none on a metered connection. */
export const loadUsualScreens = async (): Promise<void> => {
  for (const path of usualPaths) {
    await new Promise((resolve) =>
      "requestIdleCallback" in window ? requestIdleCallback(resolve) : setTimeout(resolve, 200),
    );
    if (isMetered()) return;
    // One that does not load now is loaded when it is shown.
    await screenAt(path)
      ?.load()
      .catch(() => {});
  }
};
