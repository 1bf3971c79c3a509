import { afterAll, beforeAll, describe, it } from "vitest";
import { type Board, startBoard } from "./board.ts";
import { chromiumPath } from "./chromium.ts";

describe.skipIf(chromiumPath === null)("The code of a screen", () => {
  let board: Board;
  beforeAll(async () => {
    board = await startBoard();
    await board.service.admin.companies.create({ name: "Screens" });
  });
  afterAll(() => board?.stop());

  it("is requested when the pointer is on its link, before other screens have arrived", async () => {
    const { page, expectClean, close } = await board.signedIn("/inbox");
    // The screens that the page loads while it is idle wait for these.
    await page.route(/\/assets\/(?!settings|inbox)[^/]*-screen-/, () => {});
    await page.reload();
    await Promise.all([
      page.waitForRequest(/\/assets\/settings-screen-/),
      page.getByRole("link", { name: "Settings" }).hover(),
    ]);
    expectClean();
    await close();
  });

  it("is requested again after a failure", async () => {
    const { page, close } = await board.signedIn("/inbox");
    await page.route(/\/assets\/settings-screen-/, (route) => route.abort());
    await page.reload();
    await page.getByRole("link", { name: "Settings" }).click();
    await page.getByText("Couldn't load this page").waitFor();
    await page.unroute(/\/assets\/settings-screen-/);
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("heading", { level: 1, name: "Settings" }).waitFor();
    await close();
  });

  it("that the service could not send comes by itself when the service is back", async () => {
    const { page, context, close } = await board.signedIn("/inbox");
    await page.route(/\/assets\/settings-screen-/, (route) => route.abort());
    await page.reload();
    await page.locator(".live-mark.live").waitFor();
    const settings = page.getByRole("link", { name: "Settings" });
    await settings.waitFor();
    await context.setOffline(true);
    await settings.click();
    await page.getByText("Couldn't load this page").waitFor();
    await page.getByRole("button", { name: "Try now" }).click();
    await page.getByText("Still offline").waitFor();
    await page.unroute(/\/assets\/settings-screen-/);
    await context.setOffline(false);
    await page.getByRole("heading", { level: 1, name: "Settings" }).waitFor();
    await close();
  });
});
