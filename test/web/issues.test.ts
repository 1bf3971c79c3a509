import type { Locator } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Board, startBoard } from "./board.ts";
import { chromiumPath } from "./chromium.ts";

describe.skipIf(chromiumPath === null)("Issues on the board page", () => {
  let board: Board;
  let companyId: string;
  beforeAll(async () => {
    board = await startBoard();
    const { admin } = board.service;
    ({ id: companyId } = await admin.companies.create({ name: "Harbour Works" }));
    for (const title of ["Mend the crane", "Paint the hull", "Order rope"])
      await admin.issues.create({ companyId, title, description: `**${title}** before spring.` });
  });
  afterAll(() => board?.stop());

  it("are found, opened and commented on by keyboard alone, and another browser sees it", async () => {
    const { page, expectClean, close } = await board.signedIn("/HAR/issues");
    const other = await board.signedIn("/HAR/issues/HAR-3");
    await other.page.getByText("Nobody has said anything yet.").waitFor();
    await other.page.locator(".live-mark.live").waitFor();
    await page.getByRole("link", { name: "Order rope" }).waitFor();
    await page.keyboard.press("j");
    await expect.poll(() => page.evaluate("document.activeElement?.textContent")).toBe("Order rope");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Order rope" }).waitFor();
    await page.keyboard.press("r");
    await page.keyboard.type("Forty metres, please.");
    await page.reload();
    // A draft survives a reload.
    await expect.poll(() => page.locator("textarea").inputValue()).toBe("Forty metres, please.");
    await page.locator("textarea").focus();
    await page.keyboard.press("Control+Enter");
    await other.page.getByRole("article", { name: "Comment by board" }).waitFor();
    await page.getByRole("article", { name: "Comment by board" }).waitFor();
    // The stream may bring the comment before its answer comes.
    await expect.poll(() => page.locator("textarea").inputValue()).toBe("");
    expectClean();
    other.expectClean();
    await close();
    await other.close();
  });

  it("are filtered by the address, which a reload keeps", async () => {
    const { page, at, close } = await board.signedIn("/HAR/issues");
    await page.getByPlaceholder("Find in issues").fill("crane");
    await page.getByText("1 issue", { exact: true }).waitFor();
    expect(page.url()).toBe(at("/HAR/issues?q=crane"));
    await page.reload();
    await page.getByText("1 issue", { exact: true }).waitFor();
    await page.getByRole("link", { name: "Mend the crane" }).waitFor();
    await page.getByRole("button", { name: "Clear the filters" }).click();
    await page.getByText("3 issues").waitFor();
    expect(page.url()).toBe(at("/HAR/issues"));
    await close();
  });

  it("are changed in place, at once, with an undo", async () => {
    const { page, expectClean, close } = await board.signedIn("/HAR/issues/HAR-1");
    const facts = page.getByRole("complementary", { name: "Facts" });
    await facts.getByRole("button", { name: "Change the status" }).click();
    // Found by words, chosen by keys; the focus returns to where it was.
    await page.keyboard.type("block");
    await page.keyboard.press("Enter");
    await facts.getByText("Blocked", { exact: true }).waitFor();
    await expect
      .poll(() => page.evaluate("document.activeElement.getAttribute('aria-label')"))
      .toBe("Change the status");
    await page.getByText("HAR-1 is blocked.").waitFor();
    await page.getByRole("button", { name: "Undo" }).click();
    await facts.getByText("Backlog", { exact: true }).waitFor();
    await expect
      .poll(async () => (await board.service.admin.issues.get({ issueId: "HAR-1" })).status)
      .toBe("backlog");
    expectClean();
    await close();
  });

  it("show a refusal at its field, in the service's words", async () => {
    const { page, expectClean, close } = await board.signedIn("/HAR/issues?new");
    const dialog = page.getByRole("dialog", { name: "New issue" });
    await dialog.getByLabel("Title").fill("   ");
    await dialog.getByRole("button", { name: "Create issue" }).click();
    await dialog.getByRole("alert").waitFor();
    expect(await dialog.getByLabel("Title").getAttribute("aria-invalid")).toBe("true");
    await dialog.getByLabel("Title").fill("Tar the planks");
    await dialog.getByRole("button", { name: "Create issue" }).click();
    await page.getByRole("heading", { name: "Tar the planks" }).waitFor();
    expectClean({ refusals: [400] });
    await close();
  });

  it.each(["light", "dark"] as const)("pass axe (%s)", async (colorScheme) => {
    const { page, at, expectAccessible, expectClean, close } = await board.signedIn("/HAR/issues", {
      colorScheme,
    });
    await page.getByRole("link", { name: "Mend the crane" }).waitFor();
    await expectAccessible();
    await page.goto(at("/HAR/issues?view=board"));
    await page.getByRole("link", { name: "Mend the crane" }).waitFor();
    await expectAccessible();
    await page.goto(at("/HAR/issues/HAR-1"));
    await page.getByRole("heading", { name: "Mend the crane" }).waitFor();
    await expectAccessible();
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keys that work here" }).waitFor();
    await expectAccessible();
    expectClean();
    await close();
  });

  it("fit a phone, with the navigation in a bar below", async () => {
    const { page, expectAccessible, close } = await board.signedIn("/HAR/issues", {
      viewport: { width: 390, height: 844 },
    });
    await page.getByRole("link", { name: "Mend the crane" }).click();
    await page.getByRole("heading", { name: "Mend the crane" }).waitFor();
    const sideways = () => page.evaluate("document.documentElement.scrollWidth > innerWidth");
    expect(await sideways()).toBe(false);
    // The title is read first, then the facts.
    const topOf = async (locator: Locator) => (await locator.boundingBox())!.y;
    expect(await topOf(page.getByRole("heading", { name: "Mend the crane" }))).toBeLessThan(
      await topOf(page.locator(".issue-facts")),
    );
    await expectAccessible();
    await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Inbox" }).click();
    await page.getByRole("heading", { name: "Inbox" }).waitFor();
    expect(await sideways()).toBe(false);
    await close();
  });
});
