import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { aCompany, type Board, startBoard, unique } from "./board.ts";
import { chromiumPath } from "./chromium.ts";

const dayMs = 86_400_000;

describe.skipIf(chromiumPath === null)("The activity", () => {
  let board: Board;
  beforeAll(async () => {
    board = await startBoard();
  });
  afterAll(() => board?.stop());

  const rowsOf = (page: Page) => page.getByRole("list", { name: "Activity log" }).getByRole("listitem");
  const sentencesOf = (page: Page) => rowsOf(page).locator(".activity-text").allInnerTexts();

  it("shows consecutive entries of one actor on one thing as a row that opens, whatever is filtered", async () => {
    const { admin } = board.service;
    const { companyId, prefix, agentId } = await aCompany(board, unique("Quay Works"));
    const { id: issueId } = await admin.issues.create({ companyId, title: "Paint the quay" });
    for (const priority of ["high", "low", "medium"] as const)
      await admin.issues.update({ issueId, priority });
    await admin.agents.update({ agentId, title: "Painter" });
    await admin.issues.update({ issueId, priority: "critical" });
    const { page, go, expectClean, expectAccessible, close } = await board.signedIn(`/${prefix}/activity`);
    const opening = page.getByRole("button", { name: "3 earlier" });
    await opening.waitFor();
    expect(await sentencesOf(page)).toEqual([
      expect.stringMatching(/signed in/),
      expect.stringMatching(/changed \S+-1 .*medium → critical/),
      expect.stringMatching(/changed Ada.*Painter/),
      expect.stringMatching(/changed \S+-1 .*low → medium/),
      expect.stringMatching(/hired Ada/),
      expect.stringMatching(/founded/),
    ]);
    await opening.focus();
    await page.keyboard.press("Enter");
    expect(await opening.getAttribute("aria-expanded")).toBe("true");
    expect(await sentencesOf(page)).toHaveLength(9);
    expect((await sentencesOf(page)).slice(4, 7)).toEqual([
      expect.stringMatching(/high → low/),
      expect.stringMatching(/→ high/),
      expect.stringMatching(/created/),
    ]);
    await expectAccessible();
    await page.keyboard.press("Enter");
    await expect.poll(() => sentencesOf(page)).toHaveLength(6);
    // Without the agent's entry, those of the issue follow each other.
    await go(`/${prefix}/activity?about=issue`);
    await page.getByRole("button", { name: "4 earlier" }).waitFor();
    expect(await sentencesOf(page)).toHaveLength(1);
    // An entry that is made while the page is open joins the row, and leaves the focus on its button.
    await page.getByRole("button", { name: "4 earlier" }).focus();
    await admin.issues.update({ issueId, priority: "low" });
    await page.getByRole("button", { name: "5 earlier" }).waitFor();
    expect(await page.evaluate("document.activeElement.textContent")).toBe("5 earlier");
    expectClean();
    await close();
  });

  it("continues in the same row on the next page", async () => {
    const { admin } = board.service;
    const { companyId, prefix } = await aCompany(board, unique("Pier Works"));
    const { id: issueId } = await admin.issues.create({ companyId, title: "Count the planks" });
    for (let nth = 0; nth < 110; nth++)
      await admin.issues.update({ issueId, priority: nth % 2 === 0 ? "high" : "low" });
    const { page, expectClean, close } = await board.signedIn(`/${prefix}/activity?about=issue`);
    await page.getByRole("button", { name: /^\d+ earlier$/ }).waitFor();
    expect(await sentencesOf(page)).toHaveLength(1);
    await page.getByRole("button", { name: "Show more" }).click();
    await page.getByRole("button", { name: "110 earlier" }).waitFor();
    expect(await sentencesOf(page)).toHaveLength(1);
    expectClean();
    await close();
  });

  it("is in days of the reader's time zone: today, yesterday, dates", async () => {
    const { admin } = board.service;
    const { companyId, prefix } = await aCompany(board, unique("Dock Works"));
    await admin.issues.create({ companyId, title: "Ring the bell" });
    const { items } = await admin.activity.list({ companyId });
    const at = Date.parse(items[0]!.createdAt);
    const { page, expectClean, close } = await board.signedIn(`/${prefix}/activity`, {
      timezoneId: "Pacific/Auckland",
    });
    const days = page.getByRole("heading", { level: 2 });
    await expect.poll(() => days.allInnerTexts()).toContain("Today");
    await page.clock.setFixedTime(at + dayMs);
    await page.reload();
    await expect.poll(() => days.allInnerTexts()).toContain("Yesterday");
    await page.clock.setFixedTime(at + 3 * dayMs);
    await page.reload();
    const named = { weekday: "long", day: "numeric", month: "long", timeZone: "Pacific/Auckland" } as const;
    const date = new Intl.DateTimeFormat("en-GB", named).format(at);
    await expect.poll(async () => (await days.allInnerTexts()).join()).toContain(date);
    // Below a date, the time of the day is enough.
    expect(await page.locator(".activity-time").first().innerText()).toMatch(/^\d\d:\d\d$/);
    expectClean();
    await close();
  });
});
