import type { Page, Request } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually } from "../support/eventually.ts";
import { aCompany, type Board, startBoard } from "./board.ts";
import { chromiumPath } from "./chromium.ts";

/** The reads of the page, and a wait for the answers to all of them. The event stream is none. */
const readsOf = (page: Page) => {
  const reads: string[] = [];
  const awaited = new Set<Request>();
  page.on("request", (request) => {
    const { pathname, search } = new URL(request.url());
    if (!pathname.startsWith("/api/") || pathname.startsWith("/api/events")) return;
    awaited.add(request);
    if (request.method() === "GET") reads.push(`${pathname}${search}`);
  });
  page.on("requestfinished", (request) => awaited.delete(request));
  page.on("requestfailed", (request) => awaited.delete(request));
  const finished = async () => {
    for (let quiet = 0; quiet < 3; quiet = awaited.size === 0 ? quiet + 1 : 0) await page.waitForTimeout(100);
  };
  return { reads, finished };
};

/** The code that reads ahead comes a second after the first screen. */
const codeThere = (page: Page) =>
  page.waitForFunction(() =>
    performance.getEntriesByType("resource").some(({ name }) => name.includes("/assets/read-ahead-")),
  );

/** Adds a link as it may be in a comment. */
const addLink = (page: Page, path: string) =>
  page.evaluate(`document.querySelector("main h1").append(
    Object.assign(document.createElement("a"), { href: ${JSON.stringify(path)}, textContent: "A link of a comment" }),
  )`);

/** Holds back issues, agents and runs that are read as a whole, until they may be answered. */
const holdRecords = async (page: Page) => {
  let answer = () => {};
  const mayAnswer = new Promise<void>((resolve) => {
    answer = resolve;
  });
  await page.route(/\/api\/(issues|agents|heartbeat-runs)\/[^/]+$/, async (route) => {
    await mayAnswer;
    await route.continue();
  });
  return { answer };
};

describe.skipIf(chromiumPath === null)("A screen whose link is under the pointer", () => {
  let board: Board;
  let prefix: string;
  let paths: Readonly<Record<"issue" | "agent" | "run", { readonly list: string; readonly path: string }>>;

  beforeAll(async () => {
    board = await startBoard({ role: "all" });
    const { admin } = board.service;
    const company = await aCompany(board, "Ahead Works", {
      adapterConfig: { command: "/bin/echo", args: ["The crane is mended."] },
    });
    const { companyId, agentId } = company;
    prefix = company.prefix;
    const { id: projectId } = await admin.projects.create({ companyId, name: "Harbour" });
    const { identifier, id: issueId } = await admin.issues.create({
      companyId,
      projectId,
      title: "Mend the crane",
    });
    await admin.issues.comment({ issueId, body: "It sticks." });
    await admin.issues.create({ companyId, parentId: issueId, title: "Grease it" });
    await admin.costs.report({ companyId, agentId, issueId, provider: "p", model: "m", costCents: 200 });
    const { id: runId } = await admin.agents.invoke({ agentId });
    await eventually(
      () => admin.runs.get({ runId: runId! }),
      ({ status }) => status === "succeeded",
    );
    paths = {
      issue: { list: `/${prefix}/issues`, path: `/${prefix}/issues/${identifier}` },
      agent: { list: `/${prefix}/agents`, path: `/${prefix}/agents/${agentId}` },
      run: { list: `/${prefix}/runs`, path: `/${prefix}/runs/${runId}` },
    };
  });
  afterAll(() => board?.stop());

  it.each(["issue", "agent", "run"] as const)(
    "has read all that it shows first by the click: %s",
    async (kind) => {
      const { list, path } = paths[kind];
      const { page, at, expectClean, close } = await board.signedIn(list);
      const { reads, finished } = readsOf(page);
      const link = page.locator(`main a[href="${path}"]`).first();
      await link.waitFor();
      await codeThere(page);
      await finished();
      const record = page.waitForResponse(/\/api\/(issues|agents|heartbeat-runs)\/[^/]+$/);
      await link.hover();
      await record;
      await finished();
      const before = new Set(reads);
      await link.click();
      await page.waitForURL(at(path));
      await page.locator("main:not(.waiting):not(:has(.skeleton)) h1").waitFor();
      await finished();
      // Data that is already shown may be read again.
      expect(reads.filter((each) => !before.has(each))).toEqual([]);
      expectClean();
      await close();
    },
  );

  it.each(["Pulse", "Issues", "Agents", "Runs", "Spend", "Activity", "Inbox"])(
    "has read all that it shows first by the click: the list %s",
    async (label) => {
      const { page, expectClean, close } = await board.signedIn(`/${prefix}/settings`);
      const { reads, finished } = readsOf(page);
      await page.locator("main:not(.waiting):not(:has(.skeleton)) h1").waitFor();
      await codeThere(page);
      await finished();
      const link = page.locator(".side-link", { hasText: label });
      await link.hover();
      await finished();
      const before = new Set(reads);
      await link.click();
      await page.getByRole("heading", { level: 1, name: label }).waitFor();
      await page.locator("main:not(.waiting):not(:has(.skeleton)) h1").waitFor();
      await finished();
      expect(reads.filter((each) => !before.has(each))).toEqual([]);
      expectClean();
      await close();
    },
  );

  it("reads nothing for a path that names no list", async () => {
    const { page, expectClean, close } = await board.signedIn(`/${prefix}/settings`);
    const { reads, finished } = readsOf(page);
    await codeThere(page);
    await finished();
    reads.length = 0;
    await addLink(page, `/${prefix}/__proto__`);
    await page.getByText("A link of a comment").hover();
    await finished();
    expect(reads).toEqual([]);
    expectClean();
    await close();
  });

  it.each([
    ["issue", /\/api\/issues\/[^/]+\/comments/],
    ["run", /\/api\/heartbeat-runs\/[^/]+\/transcript/],
    ["agent", /\/api\/agents\/[^/]+\/explanation/],
  ] as const)(
    "reads what its parts show before its record is there, where a list has shown it: %s",
    async (kind, part) => {
      const { list, path } = paths[kind];
      const { page, expectClean, close } = await board.signedIn(list);
      const link = page.locator(`main a[href="${path}"]`).first();
      await link.waitFor();
      await codeThere(page);
      const { answer } = await holdRecords(page);
      const read = page.waitForRequest(part);
      await link.hover();
      await read;
      answer();
      expectClean();
      await close();
    },
  );

  it("reads no more than a record that no list has shown, where the pointer has gone on", async () => {
    const { page, expectClean, close } = await board.signedIn(`/${prefix}/settings`);
    const { reads, finished } = readsOf(page);
    await codeThere(page);
    await finished();
    const { answer } = await holdRecords(page);
    await addLink(page, paths.issue.path);
    reads.length = 0;
    const asked = page.waitForRequest(/\/api\/issues\/[^/]+$/);
    await page.getByText("A link of a comment").hover();
    await asked;
    await page.mouse.move(1, 1);
    const record = page.waitForResponse(/\/api\/issues\/[^/]+$/);
    answer();
    await record;
    await finished();
    expect(reads).toHaveLength(1);
    expectClean();
    await close();
  });
});
