import type { QueryClient } from "@tanstack/react-query";
import { isUuid } from "../../../core/model/shared/ids.ts";
import { kept, keptRow, readBefore } from "../live/calls.ts";
import { baseUrl } from "../live/client.ts";
import { isMetered } from "../live/metered.ts";
import { readAgentBefore } from "../nouns/agents/agent-reads.ts";
import { companyNamed } from "../nouns/companies/company.tsx";
import { readIssueBefore } from "../nouns/issues/issue-reads.ts";
import { readInboxBefore, readListBefore } from "../nouns/list-reads.ts";
import { readRunBefore } from "../nouns/runs/run-reads.ts";

/** How long the pointer stays on a link that is meant. */
const meantMs = 30;

/** The company of a path, as the page knows it. */
const companyOf = (queries: QueryClient, path: string) => {
  const [, prefix = ""] = path.split("/");
  return companyNamed(kept(queries, "companies.list", {}) ?? [], prefix);
};

/** Reads what a list without filters shows first. */
const readList = (queries: QueryClient, path: string): void => {
  if (path === "/inbox") readInboxBefore(queries);
  const [, , list = "", ...more] = path.split("/");
  const company = companyOf(queries, path);
  if (company !== undefined && more.length === 0) readListBefore(queries, list, company.id);
};

/**
 * Reads the record that the screen of a path waits for, and what its parts read. These begin with it where the path or a list tells
 * enough of the record, else after it, while the link is still meant.
 */
const readRecord = async (queries: QueryClient, path: string, isMeant: () => boolean): Promise<void> => {
  const [, , kind, id, ...more] = path.split("/");
  if (id === undefined || id === "" || more.length > 0) return;
  if (kind === "issues") {
    const read = readBefore(queries, "issues.get", { issueId: id });
    const isNamed = (row: { readonly id: string; readonly identifier: string }) =>
      row.identifier === id || row.id === id;
    const issue = keptRow(queries, "issues.list", isNamed) ?? (await read);
    if (issue !== undefined && isMeant()) readIssueBefore(queries, issue);
  }
  if (kind === "agents" && isUuid(id)) {
    void readBefore(queries, "agents.get", { agentId: id });
    const company = companyOf(queries, path);
    if (company !== undefined) readAgentBefore(queries, { id, companyId: company.id });
  }
  if (kind === "runs") {
    const read = readBefore(queries, "runs.get", { runId: id });
    const run = keptRow(queries, "runs.list", (row) => row.id === id) ?? (await read);
    if (run !== undefined && isMeant()) readRunBefore(queries, run);
  }
};

let listens = false;

/**
 * Reads what the screen of a link shows first once the pointer stays on it, or presses it: it is there sooner. Not on a metered
 * connection.
 */
export const readAheadOfLinks = (queries: QueryClient): void => {
  if (listens) return;
  listens = true;
  const basePath = new URL(baseUrl).pathname.replace(/\/$/, "");
  let timer: ReturnType<typeof setTimeout> | undefined;
  /** The link under the pointer. */
  let pointed: HTMLAnchorElement | null = null;
  const linkOf = ({ target }: Event) => {
    const link = target instanceof Element ? target.closest<HTMLAnchorElement>("a[href]") : null;
    return link?.origin === location.origin && !isMetered() ? link : null;
  };
  const begin = (link: HTMLAnchorElement) => {
    const path = link.pathname.slice(basePath.length);
    if (link.search === "") readList(queries, path);
    void readRecord(queries, path, () => pointed === link);
  };
  const listen = { passive: true } as const;
  document.addEventListener(
    "pointerover",
    (event) => {
      clearTimeout(timer);
      const link = linkOf(event);
      pointed = link;
      if (link !== null) timer = setTimeout(() => begin(link), meantMs);
    },
    listen,
  );
  document.addEventListener(
    "pointerdown",
    (event) => {
      const link = linkOf(event);
      pointed = link;
      if (link !== null) begin(link);
    },
    listen,
  );
};
