import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { aPerson, type Board, startBoard } from "./board.ts";
import { chromiumPath } from "./chromium.ts";

/** Counts the reads of the page by their path. */
const countReads = (page: Page): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>();
  page.on("request", (request) => {
    const { pathname, search } = new URL(request.url());
    if (request.method() !== "GET" || !pathname.startsWith("/api/") || pathname === "/api/events") return;
    counts.set(pathname + search, (counts.get(pathname + search) ?? 0) + 1);
  });
  return counts;
};

describe.skipIf(chromiumPath === null)("What a person changes on the page", () => {
  let board: Board;
  let companyId: string;
  beforeAll(async () => {
    board = await startBoard();
    ({ id: companyId } = await board.service.admin.companies.create({ name: "Harbour Works" }));
  });
  afterAll(() => board?.stop());

  it("is read again once, and changes by others or elsewhere right after it are seen", async () => {
    const { admin, as } = board.service;
    const user = await aPerson(board, companyId, "Ada", "operator");
    const other = as(user.token);
    // The reader does not watch it: noting what a watcher has seen is a write of its own.
    const issue = await other.issues.create({ companyId, title: "Mend the crane" });
    const { page, expectClean, close } = await board.signedIn(`/HAR/issues/${issue.identifier}`);
    await page.getByRole("heading", { name: "Mend the crane" }).waitFor();
    await page.locator(".live-mark.live").waitFor();
    const seen = async (title: string) => {
      await page.getByRole("heading", { name: title }).waitFor();
    };
    // Screens are loaded ahead meanwhile, reads are not: the last that came before is over when a change is seen.
    await other.issues.update({ issueId: issue.id, title: "Mend it" });
    await seen("Mend it");
    const counts = countReads(page);
    const path = `/api/issues/${issue.identifier}`;
    const facts = page.getByRole("complementary", { name: "Facts" });
    const priorities = ["High", "Low", "Critical", "Medium", "High"];
    for (const word of priorities) {
      const again = page.waitForResponse(
        (response) => response.request().method() === "GET" && new URL(response.url()).pathname === path,
      );
      await facts.getByRole("button", { name: "Change the priority" }).click();
      await page.getByRole("option", { name: word }).click();
      await (await again).finished();
    }
    await other.issues.update({ issueId: issue.id, title: "Mend it soon" });
    await seen("Mend it soon");
    await admin.issues.update({ issueId: issue.id, title: "Mend it today" });
    await seen("Mend it today");
    const changes = priorities.length + 2;
    expect(counts.get(path)).toBe(changes);
    // A read that follows from the issue may come once more, for the change before these.
    const more = [...counts].filter(([, count]) => count > changes + 1);
    expect(more).toEqual([]);
    expectClean();
    await close();
  });

  it("is read again once where it is deleted, though the answer holds nothing of it", async () => {
    const { admin, as } = board.service;
    const { id: companyId, issuePrefix } = await admin.companies.create({ name: "Labels" });
    const user = await aPerson(board, companyId, "Grace", "owner");
    const other = as(user.token);
    const names = ["Lamp", "Rope", "Sail"];
    for (const name of names) await admin.labels.create({ companyId, name });
    const { page, expectClean, close } = await board.signedIn(`/${issuePrefix}/settings`);
    const labels = page.locator("section", { has: page.getByRole("heading", { name: "Labels" }) });
    await labels.getByText("Sail").waitFor();
    await page.locator(".live-mark.live").waitFor();
    await other.labels.create({ companyId, name: "Keel" });
    await labels.getByText("Keel").waitFor();
    const counts = countReads(page);
    const path = `/api/companies/${companyId}/labels`;
    for (const name of names) {
      const again = page.waitForResponse(
        (response) => response.request().method() === "GET" && new URL(response.url()).pathname === path,
      );
      const remove = labels.getByRole("button", { name: `Delete ${name}` });
      await remove.click();
      await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
      await (await again).finished();
      await remove.waitFor({ state: "detached" });
      await page.getByRole("dialog").waitFor({ state: "detached" });
    }
    await other.labels.create({ companyId, name: "Mast" });
    await labels.getByText("Mast").waitFor();
    expect(counts.get(path)).toBe(names.length + 1);
    expectClean();
    await close();
  });
});
