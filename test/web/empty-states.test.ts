import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Board, startBoard } from "./board.ts";
import { chromiumPath } from "./chromium.ts";

describe.skipIf(chromiumPath === null)("A screen without content", () => {
  let board: Board;
  beforeAll(async () => {
    board = await startBoard();
    await board.service.admin.companies.create({ name: "Harbour Works" });
  });
  afterAll(() => board?.stop());

  const paths = [
    "/inbox",
    "/HAR/pulse",
    "/HAR/issues",
    "/HAR/agents",
    "/HAR/runs",
    "/HAR/approvals",
    "/HAR/routines",
    "/HAR/org",
    "/HAR/spend",
    "/HAR/secrets",
    "/HAR/activity?about=secret",
    "/HAR/approvals?status=approved",
    "/HAR/spend/events?month=2020-01&day=2020-01-01",
    "/nowhere/at/all",
    "/ELSE/pulse",
  ];

  it("says what belongs there, with one button that leads on", async () => {
    const { page, go, expectClean, expectAccessible, close } = await board.signedIn("/inbox");
    const complaints: string[] = [];
    for (const path of paths) {
      await go(path);
      const empty = page.locator(".empty").first();
      await empty.locator("h2").waitFor();
      const button = empty.locator(".button");
      // It may lead to what is read after the rest.
      await button
        .first()
        .waitFor()
        .catch(() => {});
      if ((await button.count()) !== 1) complaints.push(`${path}: not one button`);
      await expectAccessible().catch(({ actual }: { actual: unknown }) =>
        complaints.push(`${path}: ${actual}`),
      );
    }
    expect(complaints).toEqual([]);
    expectClean();
    await close();
  });
});
