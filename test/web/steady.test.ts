import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sampled } from "../support/sample.ts";
import { type Board, startBoard } from "./board.ts";
import { chromiumPath } from "./chromium.ts";
import { openWithLateAnswers } from "./late-answers.ts";
import { themes } from "./themes.ts";
import { workingCompany } from "./working-company.ts";

/** Notes what jumps without the reader having done something, from the first paint on; in dialogs a choice adds fields. */
const watchShifts = `
  globalThis.jumps = [];
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput, sources } of list.getEntries())
      if (!hadRecentInput && !sources.some(({ node }) => node?.parentElement?.closest("dialog"))) jumps.push(location.pathname + " " + value.toFixed(3) + " " + sources.map(({ node, previousRect, currentRect }) =>
        ((node?.nodeType === 1 ? node : node?.parentElement)?.outerHTML ?? "gone").slice(0, 60) + JSON.stringify([previousRect.toJSON(), currentRect.toJSON()].map(({ x, y, width, height }) => [x, y, width, height]))).join("; "));
  }).observe({ type: "layout-shift", buffered: true });`;

/** Texts whose lines are longer than 1,000 pixels. */
const tooLong = `[...document.querySelectorAll("main p, main li, main dd")]
  .filter((each) => {
    const range = document.createRange();
    range.selectNodeContents(each);
    return each.childElementCount === 0 && range.getBoundingClientRect().width > 1000;
  })
  .map((each) => each.outerHTML.slice(0, 90))`;

describe.skipIf(chromiumPath === null)("The board page", () => {
  let board: Board;
  let home: string;
  let paths: Awaited<ReturnType<typeof workingCompany>>;
  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), "boardroom-steady-"));
    board = await startBoard({ role: "all", env: { HOME: home } });
    paths = await workingCompany(board.service);
  });
  afterAll(async () => {
    await board?.stop();
    await rm(home, { recursive: true, force: true });
  });

  it("moves nothing while a screen loads, is accessible and no wider than the window in each theme, and fills 3840 pixels without lines too long to read", async () => {
    const shown = await board.signedIn("/inbox");
    const { page, at } = shown;
    await page.addInitScript(watchShifts);
    const drawn = () => page.evaluate("new Promise((drawn) => requestAnimationFrame(drawn))");
    const complaints: string[] = [];
    const jumpsAt = async (path: string) => {
      await page.emulateMedia({ colorScheme: "light" });
      await page.setViewportSize({ width: 1280, height: 800 });
      await page.goto(at(path));
      await page.locator("main h1").waitFor();
      await expect.poll(() => page.locator(".skeleton").count()).toBe(0);
      await page.locator(".live-mark.live").waitFor();
      return (await page.evaluate("jumps")) as string[];
    };
    for (const [n, [name, path]] of Object.entries(paths).entries()) {
      complaints.push(...(await jumpsAt(path)));
      // Colours and widths are the same on all screens, so the gate shows each in one theme.
      for (const [theme, { colorScheme, viewport }] of sampled(
        Object.entries(themes),
        Object.keys(themes).length,
        n,
      )) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize(viewport);
        await drawn();
        await shown
          .expectAccessible()
          .catch(({ actual }: { actual: unknown }) => complaints.push(`${name}, ${theme}: ${actual}`));
        if (
          !(await page.evaluate(
            "document.documentElement.scrollWidth <= document.documentElement.clientWidth",
          ))
        )
          complaints.push(`${name}, ${theme}: wider than the window`);
      }
      // Nothing below is painted, which takes most of the time.
      await page.setViewportSize({ width: 3840, height: 400 });
      await drawn();
      const long = (await page.evaluate(tooLong)) as string[];
      complaints.push(...long.map((each) => `${name}: ${each}`));
    }
    expect(complaints).toEqual([]);
    shown.expectClean();
    await shown.close();
  });

  it("moves nothing when answers come late, those of what stands further down first", async () => {
    const { items } = await board.service.admin.inbox.list({ limit: 100 });
    const entry = (kind: string) => `/inbox?entry=${items.find((each) => each.kind === kind)!.id}`;
    const { page, at, close } = await board.signedIn("/inbox");
    await page.addInitScript(watchShifts);
    const open = await openWithLateAnswers(page);
    const { issue, ...others } = paths;
    for (const path of [
      issue,
      entry("approval"),
      entry("confirmation"),
      ...sampled(Object.values(others), Object.keys(others).length),
    ]) {
      await open(at(path));
      expect(await page.evaluate("jumps")).toEqual([]);
    }
    await close();
  });

  it("shows nothing that moves to a reader who wants no motion, and short motions to others", async () => {
    const moving = `document.getAnimations().filter(({ playState }) => playState === "running")
      .map(({ effect }) => effect.target.outerHTML.slice(0, 200))`;
    const still = await board.signedIn(paths.agents, { reducedMotion: "reduce" });
    await still.page.locator(".moves").first().waitFor();
    await expect.poll(() => still.page.locator(".skeleton").count()).toBe(0);
    expect(await still.page.evaluate(moving)).toEqual([]);
    await still.close();
    const other = await board.signedIn(paths.agents, { reducedMotion: "no-preference" });
    await other.page.locator(".moves").first().waitFor();
    await expect.poll(() => other.page.locator(".skeleton").count()).toBe(0);
    await expect.poll(() => other.page.evaluate(moving)).not.toEqual([]);
    expect(await other.page.evaluate(`${moving}.filter((html) => !/icon|moves/.test(html))`)).toEqual([]);
    await other.close();
  });
});
