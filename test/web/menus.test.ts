import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Board, startBoardWithAgent } from "./board.ts";
import { chromiumPath } from "./chromium.ts";

/** Choosing from menus by what is typed. */
describe.skipIf(chromiumPath === null)("A menu of the board page", () => {
  let board: Board;
  let companyId: string;
  let ken: string;
  beforeAll(async () => {
    ({ board, companyId } = await startBoardWithAgent({ name: "Ada" }));
    const { admin } = board.service;
    for (const name of ["Barbara", "Edith", "Frances", "Grace", "Hedy", "Ken Thompson", "Mary", "Radia"]) {
      const { id } = await admin.agents.create({ companyId, name, adapterType: "process" });
      if (name === "Ken Thompson") ken = id;
    }
  });
  afterAll(() => board?.stop());

  const twoChosen = async () => {
    const { admin } = board.service;
    const issues: { readonly id: string; readonly identifier: string }[] = [];
    for (const title of ["Tar the planks", "Sweep the quay"])
      issues.push(await admin.issues.create({ companyId, title, status: "backlog" }));
    const opened = await board.signedIn("/HAR/issues");
    for (const { identifier } of issues)
      await opened.page.getByRole("checkbox", { name: `Select ${identifier}` }).check();
    const assignees = () =>
      Promise.all(
        issues.map(async ({ id: issueId }) => (await admin.issues.get({ issueId })).assigneeAgentId),
      );
    return { ...opened, issues, assignees };
  };

  it("of more than eight entries is searched: Enter takes the one that was typed", async () => {
    const { page, assignees, expectClean, expectAccessible, close } = await twoChosen();
    await page.keyboard.press("a");
    await expect.poll(() => page.evaluate("document.activeElement.type")).toBe("search");
    await page.keyboard.type("ken");
    await expect.poll(() => page.getByRole("menuitem").count()).toBe(1);
    await expectAccessible();
    await page.keyboard.press("Enter");
    await page.getByText("2 issues assigned to Ken Thompson").waitFor();
    expect(await assignees()).toEqual([ken, ken]);
    expectClean();
    await close();
  });

  it("that finds nothing says so, and Enter changes nothing", async () => {
    const { page, assignees, expectClean, expectAccessible, close } = await twoChosen();
    await page.keyboard.press("a");
    await page.keyboard.type("nobody of that name");
    await page.getByText("No matches").waitFor();
    await expectAccessible();
    await page.keyboard.press("Enter");
    await page.keyboard.press("Escape");
    await page.getByRole("menuitem").first().waitFor({ state: "hidden" });
    expect(await assignees()).toEqual([null, null]);
    expectClean();
    await close();
  });

  it("of few entries goes by the whole word, and a word of none leaves nothing to press", async () => {
    const { page, expectClean, close } = await twoChosen();
    const focused = () => page.evaluate("document.activeElement.dataset.name ?? document.activeElement.role");
    await page.keyboard.press("p");
    await page.getByRole("menuitem", { name: "Low" }).waitFor();
    await page.keyboard.type("lo");
    await expect.poll(focused).toBe("Low");
    // A menu that is opened anew begins a word.
    await page.keyboard.press("Escape");
    await page.keyboard.press("p");
    await page.getByRole("menuitem", { name: "Low" }).waitFor();
    await page.keyboard.type("xy");
    await expect.poll(focused).toBe("menu");
    await page.keyboard.press("Enter");
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("Escape");
    expectClean();
    await close();
  });

  it("has the focus as soon as it is there: keys pressed at once are not those of the page", async () => {
    const { page, expectClean, close } = await twoChosen();
    // In one task, before the browser tells the page that the menu is open.
    const focused = await page.evaluate(`
      const press = (key) =>
        document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
      press("p");
      const atFirst = document.activeElement.textContent;
      for (const key of "lo") press(key);
      [atFirst, document.activeElement.textContent];
    `);
    expect(focused).toEqual(["Critical", "Low"]);
    await page.getByRole("menuitem", { name: "Low" }).waitFor();
    expect(await page.evaluate("document.activeElement.textContent")).toBe("Low");
    await page.keyboard.press("Enter");
    await page.getByText("2 issues set to low priority").waitFor();
    expectClean();
    await close();
  });

  it("says so where it gives the issues what they have", async () => {
    const { page, issues, expectClean, close } = await twoChosen();
    const give = async () => {
      await page.keyboard.press("p");
      await page.getByRole("menuitem", { name: "Critical" }).click();
    };
    await give();
    await page.getByText("2 issues set to critical priority").waitFor();
    for (const { identifier } of issues)
      await page.getByRole("checkbox", { name: `Select ${identifier}` }).check();
    await give();
    await page.getByText("Nothing to change").waitFor();
    expectClean();
    await close();
  });
});
