import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Board, startBoard } from "./board.ts";
import { chromiumPath } from "./chromium.ts";
import { openedParts } from "./opened-parts.ts";
import { themes } from "./themes.ts";
import { workingCompany } from "./working-company.ts";

const folder = join(import.meta.dirname, "../../dist/pictures");

/** `npm run pictures` keeps a picture of each screen, light and dark, wide and narrow, below dist/pictures. */
describe.skipIf(chromiumPath === null)("Every screen of a company at work", () => {
  let board: Board;
  let paths: Readonly<Record<string, string>>;
  beforeAll(async () => {
    board = await startBoard({ role: "all" });
    paths = await workingCompany(board.service);
    await mkdir(folder, { recursive: true });
  });
  afterAll(() => board?.stop());

  /** The part that scrolls inside of the page, in a window as high as it is; nothing where the first picture holds it. */
  const wholePicture = async (page: Page, path: string) => {
    await rm(path, { force: true });
    const size = page.viewportSize()!;
    const hidden = await page.locator(".page-body").evaluate((body) => body.scrollHeight - body.clientHeight);
    if (hidden <= 0) return;
    await page.setViewportSize({ width: size.width, height: Math.min(4000, size.height + hidden) });
    await page.screenshot({ path });
    await page.setViewportSize(size);
  };

  it.each(Object.entries(themes))(
    "is kept as a picture: %s",
    async (theme, options) => {
      const { page, at, expectClean, close } = await board.signedIn("/inbox", options);
      for (const [name, path] of Object.entries(paths)) {
        await page.goto(at(path));
        await page.locator("h1").waitFor();
        await expect.poll(() => page.locator(".skeleton").count()).toBe(0);
        await page.screenshot({ path: join(folder, `${name}-${theme}.png`) });
        await wholePicture(page, join(folder, `${name}-${theme}-whole.png`));
      }
      for (const [name, { on, open }] of Object.entries(openedParts)) {
        await page.goto(at(paths[on]!));
        await page.locator("h1").waitFor();
        await expect.poll(() => page.locator(".skeleton, .page.waiting").count()).toBe(0);
        const wasOpened = await open(page).then(
          () => true,
          () => false,
        );
        if (wasOpened)
          await page.screenshot({ path: join(folder, `${name.replaceAll(" ", "-")}-${theme}.png`) });
      }
      expectClean();
      await close();
    },
    1_800_000,
  );
});
