import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sampled } from "../support/sample.ts";
import { type Board, type BoardPage, startBoard } from "./board.ts";
import { chromiumPath } from "./chromium.ts";
import { openedParts } from "./opened-parts.ts";
import { workingCompany } from "./working-company.ts";

const folder = join(import.meta.dirname, "../../dist/pictures");

const themes = {
  light: { colorScheme: "light" },
  dark: { colorScheme: "dark" },
  narrow: { colorScheme: "light", viewport: { width: 390, height: 844 } },
} as const;

/** Colours and widths are the same on all screens, so the gate looks at a third of them in each theme, and at each in one. */
const shownIn = (paths: Readonly<Record<string, string>>, theme: string) =>
  process.env.PICTURES
    ? Object.entries(paths)
    : sampled(Object.entries(paths), 3, Object.keys(themes).indexOf(theme));

/** `npm run pictures` keeps a picture of each screen, light, dark and narrow, below dist/pictures. */
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

  const isNarrow = ({ page }: BoardPage) =>
    page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth");

  it.each(Object.entries(themes))(
    "is accessible, clean and no wider than the window: %s",
    async (theme, options) => {
      const opened = await board.signedIn("/inbox", options);
      const { page, at } = opened;
      const complaints: string[] = [];
      for (const [name, path] of shownIn(paths, theme)) {
        await page.goto(at(path));
        await page.locator("h1").waitFor();
        await expect.poll(() => page.locator(".skeleton").count()).toBe(0);
        if (process.env.PICTURES) {
          await page.screenshot({ path: join(folder, `${name}-${theme}.png`) });
          await wholePicture(page, join(folder, `${name}-${theme}-whole.png`));
        }
        await opened
          .expectAccessible()
          .catch(({ actual }: { actual: unknown }) => complaints.push(`${name}: ${actual}`));
        if (!(await isNarrow(opened))) complaints.push(`${name}: wider than the window`);
      }
      if (process.env.PICTURES)
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
      expect(complaints).toEqual([]);
      opened.expectClean();
      await opened.close();
    },
    process.env.PICTURES ? 1_800_000 : 240_000,
  );
});
