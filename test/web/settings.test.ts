import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { aCompany, aPerson, type Board, startBoard, unique } from "./board.ts";
import { chromiumPath } from "./chromium.ts";

describe.skipIf(chromiumPath === null)("The settings", () => {
  let board: Board;
  beforeAll(async () => {
    board = await startBoard();
  });
  afterAll(() => board?.stop());

  it("have a navigation that leads to a card for each topic, for an owner and for a viewer", async () => {
    const { companyId, prefix } = await aCompany(board, unique("Harbour Works"));
    const { token } = await aPerson(board, companyId, "Val", "viewer");
    for (const as of [{}, { token }]) {
      const { page, expectClean, expectAccessible, close } = await board.signedIn(`/${prefix}/settings`, as);
      const links = page.getByRole("navigation", { name: "Settings" }).getByRole("link");
      await page.getByRole("region", { name: "Labels" }).waitFor();
      const names = await links.allInnerTexts();
      expect(names.length).toBeGreaterThan(6);
      for (const name of names) expect(await page.getByRole("region", { name, exact: true }).count()).toBe(1);
      await links.last().click();
      await expect
        .poll(() =>
          page
            .getByRole("region", { name: "Labels" })
            .evaluate(
              (card) =>
                card.getBoundingClientRect().bottom <= card.ownerDocument.documentElement.clientHeight + 1,
            ),
        )
        .toBe(true);
      await expectAccessible();
      expectClean();
      await close();
    }
  });

  it("show the card that the address names", async () => {
    const { prefix } = await aCompany(board, unique("Harbour Works"));
    const { page, expectClean, close } = await board.signedIn(`/${prefix}/settings#labels`, {
      viewport: { width: 1280, height: 480 },
    });
    const top = () =>
      page.getByRole("region", { name: "Labels" }).evaluate((card) => card.getBoundingClientRect().top);
    await expect.poll(top).toBeLessThan(400);
    expect(await page.locator(".page-body").evaluate((body) => body.scrollTop)).toBeGreaterThan(400);
    expectClean();
    await close();
  });

  it("leave repositories, gates and workspaces to the page of their project", async () => {
    const { admin } = board.service;
    const { companyId, prefix } = await aCompany(board, unique("Pier Works"));
    const { id: projectId } = await admin.projects.create({ companyId, name: "Crane" });
    const { page, expectClean, expectAccessible, close } = await board.signedIn(
      `/${prefix}/projects/${projectId}`,
    );
    for (const name of ["Repositories", "Required gates", "Issue workspaces"])
      await page.getByRole("region", { name }).waitFor();
    await expectAccessible();
    expectClean();
    await close();
  });
});
