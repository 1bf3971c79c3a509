import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { Redirect, Route, Switch, useLocation } from "wouter";
import { useRead } from "../live/calls.ts";
import { isMetered } from "../live/metered.ts";
import { useSession } from "../live/session.ts";
import { useLiveStream } from "../live/stream.ts";
import { useCurrentCompany } from "../nouns/companies/company.tsx";
import { LinkButton } from "../widgets/button.tsx";
import { Empty } from "../widgets/empty.tsx";
import { ErrorBoundary } from "../widgets/error-view.tsx";
import { type Key, useKeys } from "../widgets/keys.tsx";
import { Page, PageFrame } from "../widgets/page.tsx";
import { loadPositions } from "../widgets/position.ts";
import { CompanyPages } from "./company-pages.tsx";
import { keysTo, navigation } from "./navigation.ts";
import { useNotifications } from "./notifications.tsx";
import { pageFrame } from "./page-frame.tsx";
import { PaletteHolder } from "./palette.tsx";
import { usePresence } from "./presence.ts";
import { companyScreens, isCompanyScreen, loadUsualScreens, rootScreens, WithoutCompany } from "./routes.tsx";
import { BottomBar, Sidebar } from "./sidebar.tsx";
import { Waiting } from "./waiting.tsx";

/** When the first screen is there, as a rule. */
const laterMs = 1000;

/** Everything around the screens, for somebody who is signed in. */
export const Frame = () => {
  const companies = useRead("companies.list", {});
  const { company, isNamed } = useCurrentCompany(companies.data);
  const { userId } = useSession();
  useLiveStream(userId);
  useNotifications();
  usePresence();
  const [location, go] = useLocation();
  useLater(userId, go);
  useKeys(
    navigation.map(
      (item): Key => ({
        keys: keysTo(item),
        does: `Go to ${item.label}`,
        run: () => go(item.inCompany ? `/${company?.issuePrefix}${item.path}` : item.path),
      }),
    ),
  );
  return (
    <PaletteHolder company={company}>
      <div className="frame">
        <button type="button" className="skip" onClick={skipToContent}>
          Skip to content
        </button>
        <Sidebar company={company} companies={companies.data ?? []} />
        <PageFrame value={pageFrame}>
          <ErrorBoundary resetKey={location}>
            <Switch>
              <Route path="/">
                {companies.isPending ? (
                  <Waiting />
                ) : (
                  <Redirect to={company === null ? "/new" : "/inbox"} replace />
                )}
              </Route>
              {rootScreens.map(({ path, screen: Screen }) => (
                <Route key={path} path={path}>
                  <Screen />
                </Route>
              ))}
              {company !== null && !isNamed && isCompanyScreen(location) ? (
                <Route>
                  <WithoutCompany />
                </Route>
              ) : null}
              <Route path="/:company" nest={false}>
                {({ company: prefix }) => <Redirect to={`/${prefix}/pulse`} />}
              </Route>
              {companyScreens.map(({ path, screen: Screen }) => (
                <Route key={path} path={`/:company${path}`}>
                  <CompanyPages>
                    <Screen />
                  </CompanyPages>
                </Route>
              ))}
              <Route>
                <Page title="Not found">
                  <Empty
                    icon="circle-question-mark"
                    title="Page not found"
                    action={<LinkButton to="/inbox">Go to the inbox</LinkButton>}
                  />
                </Page>
              </Route>
            </Switch>
          </ErrorBoundary>
        </PageFrame>
        <BottomBar company={company} companies={companies.data ?? []} />
      </div>
    </PaletteHolder>
  );
};

/** Loads what the first screen doesn't need, once it is there. */
const useLater = (userId: string, go: (path: string) => void): void => {
  const queries = useQueryClient();
  const goNow = useRef(go);
  goNow.current = go;
  useEffect(() => {
    let end = () => {};
    const timer = setTimeout(() => {
      if (!isMetered()) {
        void loadPositions().catch(() => {});
        void import("./read-ahead.ts")
          .then(({ readAheadOfLinks }) => readAheadOfLinks(queries))
          .catch(() => {});
      }
      void loadUsualScreens();
      void import("./device.ts")
        .then(({ beginDevice }) => {
          end = beginDevice(userId, (path) => goNow.current(path));
        })
        .catch(() => {});
    }, laterMs);
    return () => {
      clearTimeout(timer);
      end();
    };
  }, [userId, queries]);
};

const skipToContent = () => {
  document.querySelector<HTMLElement>("main h1")?.focus();
};
