import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { Router } from "wouter";
import { BoardroomError, mayPass } from "../library/client-error.ts";
import { baseUrl } from "./live/client.ts";
import { FinalWritesHolder } from "./nouns/final-writes.tsx";
import { App } from "./shell/app.tsx";
import { beginScreenAt, beginScreensOfLinks } from "./shell/routes.tsx";
import { FollowPath, useShownPath } from "./shell/shown-path.tsx";
import { followLinksOfSignIn } from "./shell/sign-in-code.ts";
import { ErrorBoundary } from "./widgets/error-view.tsx";
import { Keys } from "./widgets/keys.tsx";
import { rememberPositions } from "./widgets/scroll-memory.ts";
import { applyTheme, readTheme } from "./widgets/theme.ts";
import { Toasts } from "./widgets/toasts.tsx";

const basePath = new URL(baseUrl).pathname.replace(/\/$/, "");

applyTheme(readTheme());
beginScreenAt(location.pathname.slice(basePath.length));
beginScreensOfLinks(basePath);
followLinksOfSignIn();
rememberPositions();

const queries = new QueryClient({
  defaultOptions: {
    // A write without a connection is refused in words, and not sent at some later time.
    mutations: { networkMode: "always" },
    queries: {
      // A browser that is offline may still reach the service, on this machine or near it.
      networkMode: "always",
      // Events say when an answer is out of date; this is for what no event tells.
      staleTime: 60_000,
      gcTime: 30 * 60_000,
      refetchOnWindowFocus: false,
      // A refusal is final; only failures that may pass are retried.
      retry: (count, error) => count < 2 && mayPass(error),
      retryDelay: (count, error) =>
        (error instanceof BoardroomError && error.retryAfterSec !== null ? error.retryAfterSec : 2 ** count) *
        1000,
    },
  },
});

createRoot(document.getElementById("board")!).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <FollowPath>
        <Router base={basePath} hook={useShownPath}>
          <Keys>
            <Toasts>
              <FinalWritesHolder>
                <ErrorBoundary resetKey="">
                  <App />
                </ErrorBoundary>
              </FinalWritesHolder>
            </Toasts>
          </Keys>
        </Router>
      </FollowPath>
    </QueryClientProvider>
  </StrictMode>,
);
