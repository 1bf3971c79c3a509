import { chromium } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Board, startBoard } from "./board.ts";
import { chromiumPath } from "./chromium.ts";

describe.skipIf(chromiumPath === null)("Signing in to the board page", () => {
  let board: Board;
  beforeAll(async () => {
    board = await startBoard();
  });
  afterAll(() => board?.stop());

  const link = async () => (await board.service.admin.session.createLink()).url;

  it("accepts a link, keeps its code out of the address, and survives a reload", async () => {
    const { page, expectClean, close } = await board.open();
    await page.goto(await link());
    await page.getByRole("heading", { name: "New company" }).waitFor();
    expect(page.url()).not.toContain("code");
    expect(await page.evaluate("history.length")).toBeLessThanOrEqual(2);
    await page.reload();
    await page.getByRole("heading", { name: "New company" }).waitFor();
    const stored: string[] = await page.evaluate(
      "[...Object.keys(localStorage), ...Object.keys(sessionStorage)]",
    );
    // Stored once the version is known: nothing else.
    expect(stored.filter((key) => key !== "boardroom.seen-version")).toEqual([]);
    expect(await page.evaluate("document.cookie")).toBe("");
    expectClean();
    await close();
  });

  it("leaves the console clean where nobody is signed in, and accepts a link that is pasted into the open tab", async () => {
    const { page, context, at, expectClean, close } = await board.open();
    await page.goto(at("/"));
    await page.getByLabel("Board token").waitFor();
    await page.goto(await link());
    await page.getByRole("heading", { name: "New company" }).waitFor();
    expect(page.url()).not.toContain("code");
    // The first reads of the page are over before its cookie is replaced.
    await page.locator(".live-mark.live").waitFor();
    await expect.poll(() => page.locator(".page.waiting, .skeleton").count()).toBe(0);
    // A session that is over is none, and its cookie no reason for a refusal.
    const [cookie] = await context.cookies();
    await context.addCookies([{ ...cookie!, value: "over" }]);
    await page.reload();
    await page.getByLabel("Board token").waitFor();
    expectClean();
    await close();
  });

  it("refuses a used link with a message, and accepts a token instead", async () => {
    const url = await link();
    const first = await board.open();
    await first.page.goto(url);
    await first.page.getByRole("heading", { name: "New company" }).waitFor();
    const { page, expectClean, expectAccessible, close } = await board.open();
    await page.goto(url);
    await page.getByText("This link has already been used").waitFor();
    await expectAccessible();
    await page.getByLabel("Board token").fill("brd_nonsense");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByText("Missing or invalid credentials.").waitFor();
    await page.getByLabel("Board token").fill(board.service.token);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("button", { name: "Signed in as board" }).waitFor();
    expectClean({ refusals: [401] });
    // Its owner learns that somebody else may hold the link.
    await first.page.goto(first.at("/inbox"));
    await first.page.getByRole("alert").getByText("A sign-in link of yours was opened again").waitFor();
    await first.expectAccessible();
    await first.close();
    await close();
  });

  it("ends with signing out, including all cached data", async () => {
    const { page, context, at, close } = await board.open();
    await page.goto(await link());
    await page.getByRole("button", { name: "Signed in as board" }).click();
    const cookies = await context.cookies();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    await page.getByLabel("Board token").waitFor();
    await context.addCookies(cookies);
    await page.goto(at("/inbox"));
    await page.getByLabel("Board token").waitFor();
    await close();
  });

  it("cannot be framed by another page", async () => {
    const { page, at, close } = await board.signedIn("/inbox");
    const other = await page.context().newPage();
    await other.setContent(`<iframe src="${at("/inbox")}" width="800" height="600"></iframe>`);
    const frame = await (await other.waitForSelector("iframe")).contentFrame();
    await expect.poll(() => frame!.url()).toMatch(/^chrome-error:/);
    await close();
  });

  it("answers nothing under a name that a foreign DNS server points at it", async () => {
    const browser = await chromium.launch({
      executablePath: chromiumPath!,
      args: ["--host-resolver-rules=MAP rebound.example 127.0.0.1"],
    });
    try {
      const page = await browser.newPage();
      const { port } = new URL(board.service.url);
      for (const path of ["/", "/inbox", "/api/session", "/sandbox/parser.html"]) {
        const answer = await page.goto(`http://rebound.example:${port}${path}`);
        expect([path, answer?.status()]).toEqual([path, 403]);
        expect(await answer?.text()).toContain("host_not_allowed");
      }
    } finally {
      await browser.close();
    }
  });
});
