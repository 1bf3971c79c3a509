import type { Locator } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sampled } from "../support/sample.ts";
import { aPerson, type Board, startBoard } from "./board.ts";
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
    const { admin } = board.service;
    const { id: ropeId, issuePrefix } = await admin.companies.create({ name: "Rope Walk" });
    const { identifier } = await admin.issues.create({ companyId: ropeId, title: "Order rope" });
    const { page, expectClean, close } = await board.signedIn(`/${issuePrefix}/issues`);
    const other = await board.signedIn(`/${issuePrefix}/issues/${identifier}`);
    await other.page.getByText("No comments yet").waitFor();
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
    await page.getByPlaceholder("Search issues").fill("crane");
    await page.getByText("1 issue", { exact: true }).waitFor();
    expect(page.url()).toBe(at("/HAR/issues?q=crane"));
    await page.reload();
    await page.getByText("1 issue", { exact: true }).waitFor();
    await page.getByRole("link", { name: "Mend the crane" }).waitFor();
    await page.getByPlaceholder("Search issues").fill("");
    await page.getByText("3 issues").waitFor();
    expect(page.url()).toBe(at("/HAR/issues"));
    // The space before the next word stays, though the list is read meanwhile.
    await page.getByPlaceholder("Search issues").pressSequentially("mend ");
    await page.getByText("1 issue", { exact: true }).waitFor();
    await page.getByPlaceholder("Search issues").pressSequentially("the");
    await expect.poll(() => page.url()).toBe(at("/HAR/issues?q=mend+the"));
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
    await page.getByText("HAR-1 moved to Blocked").waitFor();
    await page.getByRole("button", { name: "Undo" }).click();
    await facts.getByText("Backlog", { exact: true }).waitFor();
    await expect
      .poll(async () => (await board.service.admin.issues.get({ issueId: "HAR-1" })).status)
      .toBe("backlog");
    expectClean();
    await close();
  });

  it("are changed by keys in the list and on the board: status, assignee, priority, labels", async () => {
    const { admin } = board.service;
    const { id: keysId, issuePrefix } = await admin.companies.create({ name: "Keys" });
    await admin.labels.create({ companyId: keysId, name: "safety" });
    const { identifier } = await admin.issues.create({ companyId: keysId, title: "Grease the bolt" });
    const { page, at, expectClean, expectAccessible, close } = await board.signedIn(`/${issuePrefix}/issues`);
    const get = () => admin.issues.get({ issueId: identifier });
    /** Keys that are pressed before the choice is there are not for it. */
    const openChoices = async (key: string, choice: string) => {
      await page.keyboard.press(key);
      await page.getByRole("option", { name: choice }).waitFor();
    };
    await page.getByRole("link", { name: "Grease the bolt" }).waitFor();
    await page.keyboard.press("j");
    // The focus comes with the next drawing.
    await page.locator(".issues-title:focus").waitFor();
    await openChoices("p", "Critical");
    await page.getByRole("dialog", { name: `Priority of ${identifier}` }).waitFor();
    await expectAccessible();
    await page.keyboard.type("crit");
    await page.keyboard.press("Enter");
    await expect.poll(async () => (await get()).priority).toBe("critical");
    await page.getByRole("link", { name: "Grease the bolt" }).focus();
    await openChoices("a", "board");
    await page.keyboard.type("board");
    await page.keyboard.press("Enter");
    await expect.poll(async () => (await get()).assigneeUserId).not.toBeNull();
    await page.getByRole("link", { name: "Grease the bolt" }).focus();
    await openChoices("l", "safety");
    await page.keyboard.press("Enter");
    await expect.poll(async () => (await get()).labels?.map(({ name }) => name)).toEqual(["safety"]);
    await page.keyboard.press("v");
    await page.locator(".issues-card").waitFor();
    await page.getByRole("link", { name: "Grease the bolt" }).focus();
    await openChoices("s", "Blocked");
    // Escape leaves everything as it is.
    await page.keyboard.press("Escape");
    await expect.poll(() => page.getByRole("dialog").count()).toBe(0);
    await openChoices("s", "Blocked");
    await page.keyboard.type("block");
    await page.keyboard.press("Enter");
    await expect.poll(async () => (await get()).status).toBe("blocked");
    // The focus goes with the card.
    await expect
      .poll(() => page.getByRole("region", { name: "Blocked" }).locator(".issues-card-title:focus").count())
      .toBe(1);
    await page.goto(at(`/${issuePrefix}/issues/${identifier}`));
    await page.getByRole("heading", { name: "Grease the bolt" }).waitFor();
    await openChoices("p", "Low");
    await page.keyboard.type("low");
    await page.keyboard.press("Enter");
    await expect.poll(async () => (await get()).priority).toBe("low");
    expectClean();
    await close();
  });

  it("have two lines each on a phone, a sheet of filters, and are chosen by a long press", async () => {
    const { admin } = board.service;
    const { id: phoneId, issuePrefix } = await admin.companies.create({ name: "Phone" });
    const { identifier } = await admin.issues.create({ companyId: phoneId, title: "First" });
    await admin.issues.create({ companyId: phoneId, title: "Second" });
    const { page, at, expectClean, expectAccessible, close } = await board.signedIn(
      `/${issuePrefix}/issues`,
      {
        viewport: { width: 390, height: 844 },
        hasTouch: true,
      },
    );
    await page.getByText("2 issues", { exact: true }).waitFor();
    const row = page.getByRole("listitem").filter({ hasText: "First" });
    await row.getByText(identifier).waitFor();
    expect((await row.boundingBox())!.height).toBe(60);
    await page.getByRole("button", { name: /^Filter/ }).tap();
    const sheet = page.getByRole("menu", { name: "Filter" });
    await sheet.getByRole("menuitem", { name: "Priority" }).tap();
    await expectAccessible();
    await page.getByRole("menuitemradio", { name: "Low" }).tap();
    await page.getByText("No issues match your filters").waitFor();
    await page.getByRole("button", { name: "Clear filters" }).first().tap();
    await page.getByText("2 issues", { exact: true }).waitFor();
    // A finger that rests on a row chooses it; from then on a tap does.
    const touch = (type: string) => row.dispatchEvent(type, { pointerType: "touch", bubbles: true });
    await touch("pointerdown");
    await page.getByText("1 selected").waitFor();
    await touch("pointerup");
    await page.getByRole("link", { name: "Second" }).tap();
    await page.getByText("2 selected").waitFor();
    expect(page.url()).toBe(at(`/${issuePrefix}/issues`));
    expectClean();
    await close();
  });

  it("are filtered by words that name a value, ordered, and shown with the fields that a person wants", async () => {
    const { admin } = board.service;
    const { id: shownId, issuePrefix } = await admin.companies.create({ name: "Display" });
    const path = `/${issuePrefix}/issues`;
    const { id: projectId } = await admin.projects.create({ companyId: shownId, name: "Cranes" });
    for (const [title, priority] of [
      ["Older", "high"],
      ["Newer", "low"],
    ] as const)
      await admin.issues.create({ companyId: shownId, title, priority, projectId });
    const done = await admin.issues.create({ companyId: shownId, title: "Over" });
    await admin.issues.update({ issueId: done.id, status: "cancelled" });
    const { page, at, expectClean, expectAccessible, close } = await board.signedIn(path);
    const titles = () => page.locator(".issues-title").allTextContents();
    await expect.poll(titles).toEqual(["Older", "Newer"]);
    await page.keyboard.press("f");
    await page.keyboard.type("low");
    await page.keyboard.press("Enter");
    await expect.poll(titles).toEqual(["Newer"]);
    await page.getByRole("button", { name: "Filter by priority Priority: Low" }).waitFor();
    await expectAccessible();
    await page.getByRole("button", { name: "Remove the priority filter" }).click();
    await page.keyboard.press("Shift+V");
    const panel = page.getByRole("dialog", { name: "Display" });
    await panel.getByLabel("Ordering").selectOption("Newest first");
    await panel.getByLabel("Show closed issues").check();
    await expect.poll(titles).toEqual(["Over", "Newer", "Older"]);
    await panel.getByRole("button", { name: "Project" }).click();
    await expect.poll(() => page.locator(".issues-project").count()).toBe(0);
    await expectAccessible();
    await panel.getByLabel("Grouping").selectOption("Project");
    await page.getByRole("heading", { name: "Cranes" }).waitFor();
    expect(new URL(page.url()).search).toBe(
      "?sort=newest&closed=1&columns=priority%2Cidentifier%2Clabels%2Cassignee%2Cupdated&group=project",
    );
    // Tabs keep how the list is shown, and the search of another address ends.
    await page.keyboard.press("Escape");
    await page.getByRole("link", { name: "Backlog" }).click();
    await expect.poll(titles).toEqual(["Newer", "Older"]);
    await page.getByRole("link", { name: "Mine" }).click();
    await page.getByText("No issues match your filters").waitFor();
    await page.goto(at(`${path}?view=board`));
    await page.getByRole("button", { name: "Create issue: To do" }).click();
    const dialog = page.getByRole("dialog", { name: "New issue" });
    await dialog.getByRole("button", { name: "Status To do" }).waitFor();
    await dialog.getByLabel("Title").fill("First of two");
    await dialog.getByLabel("Create another").check();
    await dialog.getByRole("button", { name: "Create issue" }).click();
    await expect.poll(() => dialog.getByLabel("Title").inputValue()).toBe("");
    await dialog.getByLabel("Title").fill("Second of two");
    await expectAccessible();
    await dialog.getByLabel("Create another").uncheck();
    await dialog.getByRole("button", { name: "Create issue" }).click();
    await page.getByRole("heading", { name: "Second of two" }).waitFor();
    const made = (await admin.issues.list({ companyId: shownId, status: ["todo"] })).items;
    expect(made.map(({ title }) => title).sort()).toEqual(["First of two", "Second of two"]);
    expectClean();
    await close();
  });

  it("are grouped, narrowed to their creator, and found again by a saved view, which is the person's own", async () => {
    const { admin } = board.service;
    const { id: viewsId, issuePrefix } = await admin.companies.create({ name: "Views" });
    const path = `/${issuePrefix}/issues`;
    const { id: userId, token } = await aPerson(board, viewsId, "Grace", "operator");
    for (const title of ["First", "Second"]) await admin.issues.create({ companyId: viewsId, title });
    await admin.issues.create({ companyId: viewsId, title: "Taken", assigneeUserId: userId });
    const { page, at, expectClean, expectAccessible, close } = await board.signedIn(path);
    const list = page.getByRole("list", { name: "Issues" });
    const views = page.getByRole("navigation", { name: "Views" });
    const filterBy = async (field: string, value: string) => {
      await page.getByRole("button", { name: "Filter Filter" }).click();
      await page.getByRole("menuitem", { name: field }).click();
      await page.getByRole("menuitemradio", { name: value }).click();
    };
    await page.getByRole("button", { name: "Display" }).click();
    await page.getByRole("dialog", { name: "Display" }).getByLabel("Grouping").selectOption("Assignee");
    await page.keyboard.press("Escape");
    await expect.poll(() => list.getByRole("heading").allTextContents()).toEqual(["GRGrace", "Unassigned"]);
    // Keys go over the heads, and a range is chosen in the order that is shown.
    await page.keyboard.press("j");
    await expect.poll(() => page.evaluate("document.activeElement?.textContent")).toBe("Taken");
    await page.keyboard.press("j");
    await expect.poll(() => page.evaluate("document.activeElement?.textContent")).toBe("Second");
    await filterBy("Creator", "Grace");
    await page.getByText("No issues match your filters").waitFor();
    await page.getByRole("button", { name: /^Filter by creator/ }).click();
    await page.getByRole("menuitemradio", { name: "Me" }).click();
    await page.getByText("3 issues").waitFor();
    await page.getByRole("button", { name: "Save view" }).click();
    await page.getByRole("dialog").getByLabel("Name").fill("By me");
    await page.keyboard.press("Enter");
    await page.getByText("View By me saved").waitFor();
    await views.locator("[aria-current=page]", { hasText: "By me" }).waitFor();
    await expectAccessible();
    const other = await board.signedIn(path, { token });
    await other.page.getByText("3 issues").waitFor();
    expect(await other.page.getByRole("link", { name: "By me" }).count()).toBe(0);
    await other.close();
    await page.goto(at(path));
    await views.getByRole("link", { name: "By me" }).click();
    await expect.poll(() => page.url()).toBe(at(`${path}?creator=me&group=assignee`));
    // Under another name it is the same view; a name that is taken replaces none.
    await admin.savedViews.save({ companyId: viewsId, name: "Everything", query: "closed=1" });
    await page.getByRole("button", { name: "Edit view By me" }).click();
    await page.getByRole("menuitem", { name: "Rename view" }).click();
    const dialog = page.getByRole("dialog", { name: "Rename the view" });
    const name = dialog.getByRole("textbox", { name: "Name" });
    await name.fill("everything");
    await page.keyboard.press("Enter");
    await dialog.getByText("You already have a saved view with that name.").waitFor();
    await expectAccessible();
    await name.fill("Made by me");
    await page.keyboard.press("Enter");
    await page.getByText("View renamed to Made by me").waitFor();
    await views.getByRole("link", { name: "Made by me" }).waitFor();
    const saved = await admin.savedViews.list({ companyId: viewsId });
    expect(saved.map(({ name, query }) => [name, query])).toEqual([
      ["Everything", "closed=1"],
      ["Made by me", "creator=me&group=assignee"],
    ]);
    await page.getByRole("button", { name: "Edit view Made by me" }).click();
    await page.getByRole("menuitem", { name: "Delete view" }).click();
    await page.getByRole("button", { name: "Undo" }).click();
    await views.getByRole("link", { name: "Made by me" }).waitFor();
    expectClean({ refusals: [409] });
    await close();
  });

  it("are narrowed to the parts of one that is found by its words", async () => {
    const { admin } = board.service;
    const { id: partsId, issuePrefix } = await admin.companies.create({ name: "Sub-issues" });
    const path = `/${issuePrefix}/issues`;
    const issue = (title: string, parentId?: string) =>
      admin.issues.create({ companyId: partsId, title, ...(parentId === undefined ? {} : { parentId }) });
    const [tug, pier] = [await issue("Overhaul the tug"), await issue("Mend the pier")];
    await issue("Lift the engine", tug.id);
    await issue("Drive the piles", pier.id);
    const { page, at, expectClean, expectAccessible, close } = await board.signedIn(path);
    await page.getByText("4 issues").waitFor();
    const filter = page.getByRole("button", { name: /^Filter by parent/ });
    await page.getByRole("button", { name: "Filter Filter" }).click();
    await page.getByRole("menuitem", { name: "Parent issue" }).click();
    await page.getByRole("dialog", { name: "Show sub-issues of an issue" }).waitFor();
    await expectAccessible();
    await page.keyboard.type("overhaul");
    await page.getByRole("option", { name: "Overhaul the tug" }).waitFor();
    await page.keyboard.press("Enter");
    await page.getByText("1 issue", { exact: true }).waitFor();
    await page.getByRole("link", { name: "Lift the engine" }).waitFor();
    expect(page.url()).toBe(at(`${path}?parent=${tug.id}`));
    await page
      .getByRole("button", { name: `Filter by parent issue Parent issue: ${tug.identifier}` })
      .waitFor();
    await filter.click();
    await page.getByRole("option", { name: "Any issue" }).click();
    await page.getByText("4 issues").waitFor();
    expect(page.url()).toBe(at(path));
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

  it.each(sampled(["dark", "light"] as const, 2))("pass axe (%s)", async (colorScheme) => {
    const { page, go, expectAccessible, expectClean, close } = await board.signedIn("/HAR/issues", {
      colorScheme,
    });
    await page.getByRole("link", { name: "Mend the crane" }).waitFor();
    await expectAccessible();
    await go("/HAR/issues?view=board");
    await page.locator(".issues-board").waitFor();
    await page.getByRole("link", { name: "Mend the crane" }).waitFor();
    await expectAccessible();
    await go("/HAR/issues/HAR-1");
    await page.getByRole("heading", { name: "Mend the crane" }).waitFor();
    await expectAccessible();
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
    await expectAccessible();
    expectClean();
    await close();
  });

  it("fit a phone, with the navigation in a bar below", async () => {
    await board.service.admin.labels.create({ companyId, name: `safety ${crypto.randomUUID()}` });
    const { page, at, expectAccessible, close } = await board.signedIn("/HAR/issues", {
      viewport: { width: 390, height: 844 },
    });
    await page.getByRole("link", { name: "Mend the crane" }).click();
    await page.getByRole("heading", { name: "Mend the crane" }).waitFor();
    const sideways = () => page.evaluate("document.documentElement.scrollWidth > innerWidth");
    expect(await sideways()).toBe(false);
    // The title is read first, then the first facts, then the text.
    const topOf = async (locator: Locator) => (await locator.boundingBox())!.y;
    const facts = page.getByRole("complementary", { name: "Facts" });
    expect(await topOf(page.getByRole("heading", { name: "Mend the crane" }))).toBeLessThan(
      await topOf(facts),
    );
    expect((await facts.boundingBox())!.height).toBeLessThan(140);
    expect(await facts.getByText("Created").isVisible()).toBe(false);
    await facts.getByRole("button", { name: "Show all" }).click();
    expect(await facts.getByText("Created").isVisible()).toBe(true);
    // Its key works once the labels have been read.
    await facts.getByRole("button", { name: "Add a label" }).waitFor();
    await facts.getByRole("button", { name: "Show less" }).click();
    // A key opens them, too, and Escape leaves the focus where it was opened.
    await page.keyboard.press("l");
    await facts.getByRole("combobox", { name: "Labels" }).waitFor();
    await page.keyboard.press("Escape");
    await expect
      .poll(() => facts.getByRole("button", { name: "Add a label" }).and(page.locator(":focus")).count())
      .toBe(1);
    await expectAccessible();
    // The filters of a list are one row.
    await page.goto(at("/HAR/runs"));
    await page.getByRole("button", { name: /^Filter by day/ }).waitFor();
    expect((await page.locator("search.filters").boundingBox())!.height).toBeLessThan(64);
    expect(await sideways()).toBe(false);
    await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Inbox" }).click();
    await page.getByRole("heading", { name: "Inbox" }).waitFor();
    expect(await sideways()).toBe(false);
    await close();
  });
});
