import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { firstScreenMax } from "../../scripts/build-web.mjs";
import { aCompany, type Board, startBoard } from "./board.ts";
import { chromiumPath } from "./chromium.ts";

const metered =
  "Object.defineProperty(navigator, 'connection', { value: { saveData: true }, configurable: true })";

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

  it("that is opened first needs few files and little until it can be used", async () => {
    const { admin } = board.service;
    const { companyId, prefix, agentId } = await aCompany(board, "First Works");
    const { identifier, id: issueId } = await admin.issues.create({
      companyId,
      title: "Mend the crane",
      description: "It **sticks**.",
      assigneeAgentId: agentId,
    });
    await admin.issues.comment({ issueId, body: "See `log.txt`." });
    const asAda = board.service.as((await admin.agents.createKey({ agentId, name: "test" })).token);
    await asAda.approvals.create({ companyId, type: "approve_ceo_strategy", payload: { title: "Buy rope" } });
    const heavy: unknown[] = [];
    for (const [path, content] of [
      ["/inbox", "Buy rope"],
      [`/${prefix}/issues/${identifier}`, "sticks"],
      [`/${prefix}/issues`, "Mend the crane"],
    ] as const) {
      const { page, at, expectClean, close } = await board.signedIn("/api/health");
      // Nothing is loaded ahead: what comes is what the screen needs.
      await page.addInitScript(metered);
      // The notices of this device, which begin a second after the frame is there.
      await page.route(/\/assets\/device-/, () => {});
      await page.goto(at(path));
      await page.locator("main").getByText(content).first().waitFor();
      await page.locator("main:not(:has(.skeleton)) h1").waitFor();
      const { bytes, files } = await page.evaluate(() => {
        const needed = performance
          .getEntriesByType("resource")
          .map((each) => each as unknown as { readonly name: string; readonly encodedBodySize: number })
          .filter(({ name }) => /\/assets\/.*\.(js|css)$/.test(name));
        return {
          bytes: needed.reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0),
          files: needed.length,
        };
      });
      console.info(`${path}: ${bytes} bytes in ${files} files`);
      if (bytes > firstScreenMax.bytes || files > firstScreenMax.files) heavy.push({ path, bytes, files });
      expectClean();
      await close();
    }
    expect(heavy).toEqual([]);
  });

  it("is not loaded ahead on a metered connection", async () => {
    const { page, expectClean, close } = await board.signedIn("/api/health");
    await page.addInitScript(metered);
    const asked: string[] = [];
    page.on("request", (request) => {
      const [, screen] = /\/assets\/([a-z]+)-screen-/.exec(request.url()) ?? [];
      if (screen !== undefined) asked.push(screen);
    });
    await page.goto(new URL("/inbox", page.url()).href);
    await page.locator(".live-mark.live").waitFor();
    await page.getByRole("link", { name: "Settings" }).hover();
    await page.getByRole("link", { name: "Issues" }).click();
    await page.getByRole("heading", { level: 1, name: "Issues" }).waitFor();
    expect(asked).toEqual(["inbox", "issues"]);
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

  it("says without a connection that it hasn't been loaded yet", async () => {
    const { prefix } = await aCompany(board, "Ice Works");
    const { page, close } = await board.signedIn(`/${prefix}/inbox`);
    await page.locator(".live-mark.live").waitFor();
    const links = page.locator(".side-link[href]");
    const screens = await links.evaluateAll((found) =>
      found.map((link) => [link.textContent, link.getAttribute("href")!] as const),
    );
    await page.route("**/api/**", (route) => route.abort());
    await page.evaluate("Object.defineProperty(navigator, 'onLine', { get: () => false })");
    const silent: unknown[] = [];
    for (const [name, href] of screens) {
      await page.locator(`.side-link[href="${href}"]`).click();
      await page.locator("main h1").waitFor();
      const alert = page.locator("main").getByText("You're offline. This hasn't been loaded yet.");
      await alert
        .first()
        .waitFor({ timeout: 20_000 })
        .catch(() => silent.push(name));
    }
    expect(silent).toEqual([]);
    await close();
  });
});
