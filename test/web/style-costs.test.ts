import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Board, startBoard } from "./board.ts";
import { chromiumPath } from "./chromium.ts";
import { workingCompany } from "./working-company.ts";

/** An element more in the content of the screen, as when a row arrives; returns how many elements the screen has. */
const addOne = `(() => {
  const main = document.querySelector("main");
  const list = main.querySelector(".page-body :is(ul, ol, tbody, [role=list])") ?? main.querySelector(".page-body");
  main.offsetHeight;
  performance.mark("added");
  list.append(document.createElement("span"));
  main.offsetHeight;
  performance.mark("laid out");
  return main.querySelectorAll("*").length;
})()`;

interface TraceEvent {
  readonly name: string;
  readonly ts: number;
  readonly args?: { readonly elementCount?: number };
}

/** The number of elements whose style the browser computes for one more element, and the number that the screen has. */
const stylesForOneMore = async (page: Page) => {
  const browser = page.context().browser()!;
  await browser.startTracing(page, { categories: ["devtools.timeline", "blink.user_timing"] });
  const elements = Number(await page.evaluate(addOne));
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString()) as {
    readonly traceEvents: readonly TraceEvent[];
  };
  const timeOf = (mark: string) => traceEvents.find(({ name }) => name === mark)!.ts;
  const [begun, ended] = [timeOf("added"), timeOf("laid out")];
  const styled = traceEvents
    .filter(({ name, ts }) => name === "UpdateLayoutTree" && ts > begun && ts < ended)
    .reduce((sum, { args }) => sum + (args?.elementCount ?? 0), 0);
  return { elements, styled };
};

describe.skipIf(chromiumPath === null)("A screen", () => {
  let board: Board;
  let home: string;
  let paths: Readonly<Record<string, string>>;
  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), "boardroom-styles-"));
    board = await startBoard({ role: "all", env: { HOME: home } });
    paths = await workingCompany(board.service);
  });
  afterAll(async () => {
    await board?.stop();
    await rm(home, { recursive: true, force: true });
  });

  it("computes the style of what is added, not of all that was there", async () => {
    const { page, at, close } = await board.signedIn("/inbox");
    const costly: object[] = [];
    for (const [name, path] of Object.entries(paths)) {
      await page.goto(at(path));
      await page.locator("main h1").waitFor();
      await expect.poll(() => page.locator(".skeleton, .page.waiting").count()).toBe(0);
      const { elements, styled } = await stylesForOneMore(page);
      expect(styled).toBeGreaterThan(0);
      // A list may style its rows again; the screen as a whole may not.
      if (styled > Math.max(20, elements / 4)) costly.push({ name, elements, styled });
    }
    expect(costly).toEqual([]);
    await close();
  });
});
