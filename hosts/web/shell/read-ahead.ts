import type { QueryClient } from "@tanstack/react-query";
import { readBefore } from "../live/calls.ts";
import { baseUrl } from "../live/client.ts";
import { isMetered } from "../live/metered.ts";

/** How long the pointer stays on a link that is meant. */
const meantMs = 60;

/** Begins the read on which the screen of a path waits. */
const readOf = (queries: QueryClient, path: string): void => {
  const [, , kind, id, ...more] = path.split("/");
  if (id === undefined || id === "" || more.length > 0) return;
  if (kind === "issues") readBefore(queries, "issues.get", { issueId: id });
  if (kind === "agents") readBefore(queries, "agents.get", { agentId: id });
  if (kind === "runs") readBefore(queries, "runs.get", { runId: id });
};

let listens = false;

/** Reads the record of a link that the pointer stays on, or that is pressed: it is there sooner. Not on a metered connection. */
export const readAheadOfLinks = (queries: QueryClient): void => {
  if (listens) return;
  listens = true;
  const basePath = new URL(baseUrl).pathname.replace(/\/$/, "");
  let timer: ReturnType<typeof setTimeout> | undefined;
  const linkOf = ({ target }: Event) => {
    const link = target instanceof Element ? target.closest<HTMLAnchorElement>("main a[href]") : null;
    return link?.origin === location.origin && !isMetered() ? link : null;
  };
  const begin = (link: HTMLAnchorElement) => readOf(queries, link.pathname.slice(basePath.length));
  const listen = { passive: true } as const;
  document.addEventListener(
    "pointerover",
    (event) => {
      clearTimeout(timer);
      const link = linkOf(event);
      if (link !== null) timer = setTimeout(() => begin(link), meantMs);
    },
    listen,
  );
  document.addEventListener(
    "pointerdown",
    (event) => {
      const link = linkOf(event);
      if (link !== null) begin(link);
    },
    listen,
  );
};
