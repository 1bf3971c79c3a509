import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Board, startBoard } from "./board.ts";
import { chromiumPath } from "./chromium.ts";

describe.skipIf(chromiumPath === null)("The board page keeps to its reader", () => {
  let board: Board;
  let company: { readonly id: string; readonly issuePrefix: string };
  beforeAll(async () => {
    board = await startBoard();
    const { admin } = board.service;
    company = await admin.companies.create({ name: "Long Quay" });
    for (let n = 1; n <= 60; n++) await admin.issues.create({ companyId: company.id, title: `Mooring ${n}` });
  });
  afterAll(() => board?.stop());

  it("shows a list where it was left, with the focus on what was opened, when the reader comes back", async () => {
    const { page, expectClean, close } = await board.signedIn(`/${company.issuePrefix}/issues`);
    const list = page.locator(".issues-scroll");
    // The pointer reaches it once the screen is shown, which begins at its top.
    await page.getByRole("link", { name: "Mooring 60", exact: true }).hover();
    await list.evaluate((element) => element.scrollTo(0, 900));
    const opened = page.getByRole("link", { name: "Mooring 30", exact: true });
    await opened.click();
    await page.getByRole("heading", { name: "Mooring 30" }).waitFor();
    await page.goBack();
    await expect.poll(() => list.evaluate((element) => element.scrollTop)).toBe(900);
    await expect
      .poll(() => opened.evaluate((element) => element === element.ownerDocument.activeElement))
      .toBe(true);
    // Another visit begins at the top.
    await page.getByRole("navigation").getByRole("link", { name: "Agents" }).click();
    await page.getByRole("navigation").getByRole("link", { name: "Issues" }).click();
    await page.getByRole("link", { name: "Mooring 60", exact: true }).waitFor();
    expect(await list.evaluate((element) => element.scrollTop)).toBe(0);
    expectClean();
    await close();
  });

  it("goes by g and one letter, shows the colours of labels, and aligns the columns of tables", async () => {
    const { admin } = board.service;
    const companyId = company.id;
    const label = await admin.labels.create({ companyId, name: "Rope", color: "#a03030" });
    const issue = await admin.issues.create({
      companyId,
      title: "Measure the ropes",
      description: "| Rope | Metres |\n| :-- | --: |\n| A | 12 |",
      labelIds: [label.id],
    });
    const { page, expectClean, expectAccessible, close } = await board.signedIn(
      `/${company.issuePrefix}/issues/${issue.identifier}`,
    );
    const alignOf = (cell: string) =>
      page
        .locator(".markdown-table td", { hasText: cell })
        .evaluate((element) => element.ownerDocument.defaultView!.getComputedStyle(element).textAlign);
    await page.locator(".markdown-table").waitFor();
    expect([await alignOf("A"), await alignOf("12")]).toEqual(["left", "right"]);
    const dot = page.locator('.label-dot circle[fill="#a03030"]');
    await dot.first().waitFor();
    await expectAccessible();
    await page.keyboard.press("g");
    await page.keyboard.press("s");
    await page.getByRole("heading", { name: "Issues", exact: true }).waitFor();
    await page.locator(".issues-row", { hasText: "Measure the ropes" }).locator(dot).waitFor();
    // A key that leads nowhere from `g` does what it does alone.
    await page.keyboard.press("g");
    await page.keyboard.press("?");
    const keys = page.getByRole("dialog", { name: "Keyboard shortcuts" });
    await keys.waitFor();
    const ways = await keys.locator("dl").last().locator("dd").allInnerTexts();
    expect(ways.map((way) => way.replaceAll(/\s/g, ""))).toEqual(
      ways.map(() => expect.stringMatching(/^G[A-Z]$/)),
    );
    expect(new Set(ways).size).toBe(ways.length);
    await page.keyboard.press("Escape");
    await page.keyboard.press("g");
    await page.keyboard.press("a");
    await page.getByRole("heading", { name: "Agents", exact: true }).waitFor();
    expectClean();
    await close();
  });

  it("writes English words in the order of the reader's region, with the time of its zone", async () => {
    const { admin } = board.service;
    const issue = await admin.issues.create({ companyId: company.id, title: "Read the clock" });
    const { page, expectClean, close } = await board.signedIn(
      `/${company.issuePrefix}/issues/${issue.identifier}`,
      { locale: "de-DE", timezoneId: "Asia/Tokyo" },
    );
    const created = page.locator(".issue-facts time").last();
    const title = await created.getAttribute("title");
    const at = new Date(issue.createdAt);
    const options = { dateStyle: "medium", timeStyle: "medium", timeZone: "Asia/Tokyo" } as const;
    expect(title).toContain(new Intl.DateTimeFormat("en-DE", options).format(at));
    expect(await page.locator("main").innerText()).not.toMatch(/\bvor \d/);
    expectClean();
    await close();
  });

  it("says in the tab how much waits, and tells of what is new where the reader has turned that on", async () => {
    const { admin } = board.service;
    const { page, context, expectClean, expectAccessible, close } = await board.open();
    await context.grantPermissions(["notifications"]);
    await context.addInitScript(`
      globalThis.told = [];
      globalThis.Notification = class { static permission = "granted"; static requestPermission = async () => "granted"; constructor(title, { body }) { told.push(title + ": " + body); } close() {} };
      document.hasFocus = () => globalThis.looks !== false;
    `);
    await context.request.post("/api/session", {
      headers: { authorization: `Bearer ${board.service.token}` },
    });
    await page.goto(`${board.service.url}/inbox`);
    await page.locator(".live-mark.live").waitFor();
    await expect.poll(() => page.title()).toBe("Inbox · Boardroom");
    // Asked once.
    await page.getByText("Turn on desktop notifications?").waitFor();
    await expectAccessible();
    await page.getByRole("button", { name: "Enable" }).click();
    await expect.poll(() => page.getByText("Turn on desktop notifications?").count()).toBe(0);
    await page.evaluate("looks = false");
    await admin.approvals.hire({ companyId: company.id, name: "Bob", role: "engineer" });
    await expect.poll(() => page.title()).toBe("(1) Inbox · Boardroom");
    expect(await page.locator("link[rel=icon]").getAttribute("href")).toBe("assets/icon-1.svg");
    await expect.poll(() => page.evaluate("told")).toEqual(["1 item needs your attention: Long Quay: Bob"]);
    await page.reload();
    await page.locator(".live-mark.live").waitFor();
    expect(await page.getByText("Turn on desktop notifications?").count()).toBe(0);
    expectClean();
    await close();
  });
});
