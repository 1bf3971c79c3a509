import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Board, startBoard } from "./board.ts";
import { chromiumPath } from "./chromium.ts";

describe.skipIf(chromiumPath === null)("A list that opens next to its control", () => {
  let board: Board;
  let identifier: string;
  beforeAll(async () => {
    board = await startBoard();
    const { admin } = board.service;
    const { id: companyId } = await admin.companies.create({ name: "Harbour Works" });
    await admin.agents.create({ companyId, name: "Ada", role: "engineer", adapterType: "process" });
    ({ identifier } = await admin.issues.create({
      companyId,
      title: "Paint the pier",
      description: Array.from({ length: 60 }, (_, line) => `Line ${line}`).join("\n\n"),
    }));
  });
  afterAll(() => board?.stop());

  it.each([
    [1280, 720],
    [320, 480],
  ])("lies inside a window of %i by %i, and names whom @ offers", async (width, height) => {
    const { page, close } = await board.signedIn(`/HAR/issues/${identifier}`);
    await page.setViewportSize({ width, height });
    const box = page.getByRole("textbox", { name: /comment/i });
    await box.scrollIntoViewIfNeeded();
    await box.fill("");
    await box.pressSequentially("@A");
    const list = page.getByRole("listbox", { name: "Agents and people" });
    await list.getByRole("option", { name: "Ada" }).waitFor();
    await expect.poll(async () => isInside(await list.boundingBox(), { width, height })).toBe(true);
    await page.keyboard.press("Enter");
    expect(await box.inputValue()).toBe("@Ada ");
    await close();
  });

  it("stays with its control while the page scrolls", async () => {
    const { page, close } = await board.signedIn(`/HAR/issues/${identifier}`);
    await page.setViewportSize({ width: 1280, height: 500 });
    await page.getByRole("button", { name: "Change the status" }).click();
    const opener = page.getByRole("combobox", { name: "Status" });
    const menu = page.getByRole("listbox", { name: "Status" });
    await menu.waitFor();
    const distance = async () => {
      const [at, of] = [await menu.boundingBox(), await opener.boundingBox()];
      return at === null || of === null
        ? null
        : Math.round(Math.min(Math.abs(at.y - of.y - of.height), Math.abs(of.y - at.y - at.height)));
    };
    await expect.poll(distance).toBe(4);
    await page.evaluate(`[...document.querySelectorAll("*")]
      .find((each) => each.scrollHeight > each.clientHeight + 200)
      .scrollBy(0, 40)`);
    await expect.poll(distance).toBe(4);
    await close();
  });
});

const isInside = (
  box: { x: number; y: number; width: number; height: number } | null,
  window: { width: number; height: number },
) =>
  box !== null &&
  box.x >= 0 &&
  box.y >= 0 &&
  box.x + box.width <= window.width &&
  box.y + box.height <= window.height;
