import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sampled } from "../support/sample.ts";
import { type Board, type BoardPage, startBoard, unique } from "./board.ts";
import { chromiumPath } from "./chromium.ts";
import { hostileTexts } from "./hostile-words.ts";
import { layoutFaults, toastFaults } from "./layout-faults.ts";
import { openedParts } from "./opened-parts.ts";
import { workingCompany } from "./working-company.ts";

/** Where most does not fit. */
const narrowest = [320];
const wider = [390, 768, 1024, 1280, 1920, 2560];
const widths = [...narrowest, ...wider];

describe.skipIf(chromiumPath === null)("A screen, whatever the names in it are", () => {
  let board: Board;
  let paths: Readonly<Record<string, string>>;
  let shown: BoardPage;
  beforeAll(async () => {
    board = await startBoard({ role: "all" });
    paths = await workingCompany(board.service, hostileTexts());
    shown = await board.signedIn("/inbox");
  });
  afterAll(() => board?.stop());

  /** Shows a screen with nothing opened on it as a link does: a load takes four times as long. */
  const show = async (path: string) => {
    const { page, at, go } = shown;
    await page.setViewportSize({ width: 1280, height: 800 });
    const opened = page.locator("dialog[open], [role=menu]:visible");
    if ((await opened.count()) > 0) {
      await page.keyboard.press("Escape");
      await expect.poll(() => opened.count()).toBe(0);
    } else if (page.url() === at(path)) await page.goto(at(path));
    if (page.url() !== at(path)) await go(path);
    await page.locator("h1").waitFor();
    await expect.poll(() => page.locator(".skeleton, .page.waiting").count()).toBe(0);
    return page;
  };

  const faultsAtEachWidth = async (page: Page, name: string, among = widths, measure = layoutFaults) => {
    const faults: string[] = [];
    for (const width of among) {
      await page.setViewportSize({ width, height: 800 });
      await page.evaluate(
        "new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))",
      );
      const found = (await page.evaluate(measure)) as string[];
      faults.push(...found.map((fault) => `${name} at ${width}: ${fault}`));
    }
    return faults;
  };

  const measuredAt = (n: number) => [...narrowest, ...sampled(wider, 3, n)];

  it("shows no text below 80 pixels, nothing over anything else, nothing beyond its edge, and on a phone targets of 44 pixels, also with all open that can be opened on it", async () => {
    const faults: string[] = [];
    const openedOn: string[] = [];
    for (const [n, [name, path]] of Object.entries(paths).entries()) {
      const page = await show(path);
      faults.push(...(await faultsAtEachWidth(page, name, measuredAt(n))));
      const opened = await page
        .locator("main details:not([open])")
        .evaluateAll((all) => all.map((each) => each.setAttribute("open", "")).length);
      if (opened === 0) continue;
      openedOn.push(name);
      await expect.poll(() => page.locator(".skeleton").count()).toBe(0);
      faults.push(...(await faultsAtEachWidth(page, `${name}, opened`, measuredAt(n + 1))));
    }
    expect(faults).toEqual([]);
    expect(openedOn).not.toEqual([]);
    shown.expectClean();
  });

  const parts = Object.entries(openedParts)
    .sort(([, one], [, other]) => one.on.localeCompare(other.on))
    .map(([name, { on, open }], n) => ({ name, on, open, n }));
  it.each(parts)("does so with what a click opens: $name", async ({ name, on, open, n }) => {
    const page = await show(paths[on]!);
    await open(page);
    expect(await faultsAtEachWidth(page, name, measuredAt(n))).toEqual([]);
  });

  it("does so where a list is narrowed to a company and an agent of such names", async () => {
    const { page, close } = await board.signedIn(`${paths.inbox!}?company=LOP`);
    await page.locator(".inbox-entry").first().waitFor();
    const faults = await faultsAtEachWidth(page, "inbox of a company");
    await page.goto(new URL(`${paths.runs!}?agent=${paths.agent!.split("/").at(-1)}`, page.url()).href);
    await page.locator("tbody tr").first().waitFor();
    faults.push(...(await faultsAtEachWidth(page, "runs of an agent")));
    expect(faults).toEqual([]);
    await close();
  });

  it("does so with times of more than a year ago, which take the most room, in one line each", async () => {
    const { page, at, close } = await board.signedIn("/inbox");
    await page.clock.setSystemTime(Date.now() + 400 * 24 * 60 * 60 * 1000);
    const faults: string[] = [];
    for (const name of ["runs", "agent"]) {
      await page.goto(at(paths[name]!));
      await page
        .locator(".table time", { hasText: /\d{4}$/ })
        .first()
        .waitFor();
      faults.push(...(await faultsAtEachWidth(page, name)));
    }
    expect(faults).toEqual([]);
    await close();
  });

  it("does so in the dialog of a budget, where changes are refused, and in toasts", async () => {
    const { page, at, close } = await board.signedIn(paths.spend!);
    const faults: string[] = [];
    await page
      .getByRole("button", { name: /^Edit the budget of/ })
      .first()
      .click();
    await page.getByLabel("Monthly budget (USD)").waitFor();
    faults.push(...(await faultsAtEachWidth(page, "budget")));
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.goto(at(paths.issues!));
    await page.locator(".issues-row").first().waitFor();
    for (const row of await page.getByRole("checkbox", { name: /^Select/ }).all()) await row.check();
    await page.getByRole("button", { name: "Change the status of the selected issues" }).click();
    await page.getByRole("menuitem", { name: "In review" }).click();
    await page.getByRole("alert").waitFor();
    await page.locator(".toast").waitFor();
    // Toasts stay while the pointer is on them.
    await page.locator(".toast").hover();
    faults.push(...(await faultsAtEachWidth(page, "refusals")));
    faults.push(...(await faultsAtEachWidth(page, "toast", widths, toastFaults)));
    expect(faults).toEqual([]);
    await close();
  });

  it("gives issues in the list two lines on a phone, and rows of 36 pixels elsewhere", async () => {
    const { page, close } = await board.signedIn(paths.issues!);
    const heights = async () =>
      new Set(
        await page
          .locator(".issues-row")
          .evaluateAll((rows) =>
            rows.flatMap((row, index) =>
              index === 0
                ? []
                : [row.getBoundingClientRect().top - rows[index - 1]!.getBoundingClientRect().top],
            ),
          ),
      );
    await page.locator(".issues-row").first().waitFor();
    expect(await heights()).toEqual(new Set([36]));
    await page.setViewportSize({ width: 390, height: 844 });
    await expect.poll(heights).toEqual(new Set([60]));
    const target = (await page.locator(".issues-choose").first().boundingBox())!;
    expect(target.height).toBeGreaterThanOrEqual(43);
    expect(target.width).toBeGreaterThanOrEqual(43);
    await close();
  });

  it("has the companies, the theme and the way out on a phone, too", async () => {
    const { page, expectClean, expectAccessible, close } = await board.signedIn(paths.pulse!, {
      viewport: { width: 390, height: 844 },
    });
    const more = page.getByRole("button", { name: "More" });
    await more.click();
    await expectAccessible();
    await page.getByRole("menuitemradio", { name: "Dark theme" }).click();
    expect(await page.evaluate("document.documentElement.dataset.theme")).toBe("dark");
    const name = unique("Quay");
    const other = await board.service.admin.companies.create({ name });
    await more.click();
    await page.getByRole("menuitemradio", { name }).click();
    await page.waitForURL(`**/${other.issuePrefix}/pulse`);
    // A read that is still on its way would be refused once the session is over.
    await expect.poll(() => page.locator(".skeleton, .page.waiting").count()).toBe(0);
    await more.click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    await page.getByLabel("Board token").waitFor();
    expectClean();
    await close();
  });
});
