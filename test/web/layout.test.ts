import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Board, startBoard } from "./board.ts";
import { chromiumPath } from "./chromium.ts";
import { hostileWords } from "./hostile-words.ts";
import { layoutFaults } from "./layout-faults.ts";
import { workingCompany } from "./working-company.ts";

const widths = [320, 390, 768, 1024, 1280, 1920, 2560];

describe.skipIf(chromiumPath === null)("A screen, whatever the names in it are", () => {
  let board: Board;
  let paths: Readonly<Record<string, string>>;
  beforeAll(async () => {
    board = await startBoard({ role: "all" });
    paths = await workingCompany(board.service, hostileWords());
  });
  afterAll(() => board?.stop());

  it("shows no text below 80 pixels, nothing over anything else, nothing beyond its edge, and on a phone targets of 44 pixels", async () => {
    const { page, at, expectClean, close } = await board.signedIn("/inbox");
    const faults: string[] = [];
    for (const [name, path] of Object.entries(paths)) {
      await page.goto(at(path));
      await page.locator("h1").waitFor();
      await expect.poll(() => page.locator(".skeleton, .page.waiting").count()).toBe(0);
      for (const width of widths) {
        await page.setViewportSize({ width, height: 800 });
        await page.evaluate(
          "new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))",
        );
        const found = (await page.evaluate(layoutFaults)) as string[];
        faults.push(...found.map((fault) => `${name} at ${width}: ${fault}`));
      }
    }
    expect(faults).toEqual([]);
    expectClean();
    await close();
  });

  it("has the companies, the theme and the way out on a phone, too", async () => {
    const { page, expectClean, expectAccessible, close } = await board.signedIn(paths.pulse!, {
      viewport: { width: 390, height: 844 },
    });
    const more = page.getByRole("button", { name: "More pages, companies, and you" });
    await more.click();
    await expectAccessible();
    await page.getByRole("menuitemradio", { name: "Dark theme" }).click();
    expect(await page.evaluate("document.documentElement.dataset.theme")).toBe("dark");
    const other = await board.service.admin.companies.create({ name: "Quay Works" });
    await more.click();
    await page.getByRole("menuitemradio", { name: "Quay Works" }).click();
    await page.waitForURL(`**/${other.issuePrefix}/pulse`);
    await more.click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    await page.getByLabel("Board token").waitFor();
    expectClean();
    await close();
  });
});
