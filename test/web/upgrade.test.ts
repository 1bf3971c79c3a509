import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { changesSince } from "../../hosts/web/shell/changes-since.ts";
import { type Board, startBoard } from "./board.ts";
import { chromiumPath } from "./chromium.ts";

describe("The changes since a version", () => {
  const log = "# Changes\n\n## 3.0.0 (not released)\n\nthree\n\n## 2.0.0\n\ntwo\n\n## 1.0.0\n\none\n";
  it.each([
    ["1.0.0", ["three", "two"]],
    ["2.0.0", ["three"]],
    ["3.0.0", ["three"]],
    ["0.9.0", ["three"]],
  ])("%s are the sections above it, and the newest where the log does not know it", (seen, expected) => {
    const shown = changesSince(log, seen);
    expect(["three", "two", "one"].filter((word) => shown.includes(word))).toEqual(expected);
  });
});

describe.skipIf(chromiumPath === null)("On the board page, an upgrade", () => {
  let board: Board;
  beforeAll(async () => {
    board = await startBoard();
    await board.service.admin.companies.create({ name: "Harbour Works" });
  });
  afterAll(() => board?.stop());

  it("reaches instance admins once, with what changed", async () => {
    const { page, expectClean, expectAccessible, close } = await board.signedIn("/instance");
    const banner = page.getByText("Boardroom was upgraded to version");
    await expect.poll(() => page.evaluate("localStorage.getItem('boardroom.seen-version')")).not.toBe(null);
    expect(await banner.count()).toBe(0);
    await page.evaluate("localStorage.setItem('boardroom.seen-version', '0.0.1')");
    await page.reload();
    await banner.waitFor();
    await page.getByRole("button", { name: "What changed" }).click();
    const dialog = page.getByRole("dialog", { name: "What changed" });
    await dialog.getByText("Scheduled backups").first().waitFor();
    await expectAccessible();
    await dialog.getByRole("button", { name: "Close" }).click();
    await banner.waitFor({ state: "detached" });
    await page.reload();
    await page.getByRole("heading", { name: "Instance" }).first().waitFor();
    expect(await banner.count()).toBe(0);
    expectClean();
    await close();
  });
});
