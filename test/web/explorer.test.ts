import fc from "fast-check";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isDeep } from "../support/sample.ts";
import { type Board, type BoardPage, startBoard } from "./board.ts";
import { chromiumPath } from "./chromium.ts";
import { openedParts } from "./opened-parts.ts";
import { workingCompany } from "./working-company.ts";

/** An act of a person; the number chooses among what the screen offers. */
type Act = readonly ["link" | "open" | "mention" | "key" | "back" | "reload", number];

const keys = [
  "j",
  "k",
  "Enter",
  "g i",
  "g p",
  "g s",
  "g a",
  "g r",
  "g y",
  "g t",
  "?",
  "Control+k",
  "Tab",
  "n",
];

const acts = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.tuple(fc.constant("link" as const), fc.nat(10_000)) },
    { weight: 3, arbitrary: fc.tuple(fc.constant("open" as const), fc.nat(10_000)) },
    { weight: 1, arbitrary: fc.tuple(fc.constant("mention" as const), fc.nat(10_000)) },
    { weight: 3, arbitrary: fc.tuple(fc.constant("key" as const), fc.nat(keys.length - 1)) },
    { weight: 2, arbitrary: fc.tuple(fc.constant("back" as const), fc.constant(0)) },
    { weight: 1, arbitrary: fc.tuple(fc.constant("reload" as const), fc.constant(0)) },
  ),
  { minLength: 12, maxLength: 25 },
);

/** Buttons and fields that only show something: a menu, a list, a tab, a part, a dialog. */
const openers =
  'main :is([aria-haspopup="menu"], [role="tab"], summary, .opening-row, [aria-expanded]):visible:not([disabled])';

/** Texts in which `@` offers names. */
const mentionAreas = "main .mention textarea:visible:not([disabled])";

const failures = ["Something went wrong", "Couldn't load this page", "Page not found"];

const here = (page: Page): string => page.url().replace(/#.*$/, "");

const finishLoading = async (page: Page): Promise<void> => {
  await page.locator("main h1").first().waitFor();
  await expect.poll(() => page.locator(".skeleton, .page.waiting").count()).toBe(0);
};

/** A random session in a real browser keeps these laws, whatever it does. */
describe.skipIf(chromiumPath === null)("Any session on the board page", () => {
  let board: Board;
  let screens: Readonly<Record<string, string>>;
  let paths: readonly string[];
  beforeAll(async () => {
    board = await startBoard({ role: "all" });
    screens = await workingCompany(board.service);
    paths = Object.values(screens).filter((path) => !path.includes("new"));
  });
  afterAll(() => board?.stop());

  /** Compares the record of a screen with that of the interface. */
  const expectSame = async (page: Page): Promise<void> => {
    const { admin } = board.service;
    const [, prefix, kind, id] = new URL(page.url()).pathname.split("/");
    const title = page.locator("main h1").first();
    if (prefix === "inbox" || id === undefined) return;
    if (kind === "issues") {
      const issue = await admin.issues.get({ issueId: id });
      await expect.poll(() => title.textContent()).toContain(issue.identifier);
      await expect.poll(() => page.locator("main").textContent()).toContain(issue.title);
    } else if (kind === "agents") {
      const { name } = await admin.agents.get({ agentId: id });
      await expect.poll(() => title.textContent()).toContain(name);
    } else if (kind === "projects") {
      const { name } = await admin.projects.get({ projectId: id });
      await expect.poll(() => title.textContent()).toContain(name);
    } else if (kind === "routines") {
      const routine = await admin.routines.get({ routineId: id });
      await expect.poll(() => title.textContent()).toContain(routine.title);
    }
  };

  const expectLaws = async (page: Page): Promise<void> => {
    await finishLoading(page);
    const text = (await page.locator("body").textContent()) ?? "";
    expect(failures.filter((words) => text.includes(words))).toEqual([]);
    // No dead end: from everywhere a link leads on.
    expect(await page.locator(".side-link:visible, .bottom-bar a:visible").count()).toBeGreaterThan(0);
    await expectSame(page);
  };

  /** Closes by Escape what an act has opened, so that the next one sees the screen: of several things the last one first. */
  const close = async (page: Page): Promise<void> => {
    await expect
      .poll(async () => {
        const open = await page.locator("dialog[open], :popover-open").count();
        if (open > 0) await page.keyboard.press("Escape");
        return open;
      })
      .toBe(0);
  };

  const follow = async (page: Page, choice: number): Promise<void> => {
    // Short runs of the pulse lie on each other: the agent's page has a link for each.
    const links = page.locator('main a[href^="/"]:not([tabindex="-1"]):visible, .side-link[href]:visible');
    const count = await links.count();
    if (count === 0) return;
    const from = here(page);
    const link = links.nth(choice % count);
    const href = await link.getAttribute("href");
    const target = await link.getAttribute("target");
    if (href === null || target !== null || href.startsWith("/api/")) return;
    await link.click();
    await finishLoading(page);
    if (here(page) === from) return;
    // Back leads to where the link was, and forward to where it led.
    const to = here(page);
    await page.goBack();
    await expect.poll(() => here(page)).toBe(from);
    await finishLoading(page);
    await page.goForward();
    await expect.poll(() => here(page)).toBe(to);
  };

  const carryOut = async ({ page }: BoardPage, [act, choice]: Act): Promise<void> => {
    if (act === "link") return follow(page, choice);
    if (act === "back") return void (await page.goBack());
    if (act === "reload") return void (await page.reload());
    if (act === "key") {
      for (const key of keys[choice]!.split(" ")) await page.keyboard.press(key);
      return;
    }
    const found = page.locator(act === "mention" ? mentionAreas : openers);
    const count = await found.count();
    if (count === 0) return;
    await found.nth(choice % count).click();
    if (act === "mention") await page.keyboard.type(" @");
  };

  it("shows no error, has no dead end, goes back, and says what the interface says", async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(paths.length - 1), acts, async (start, session) => {
        const shown = await board.signedIn("/inbox");
        const { page, go, expectClean } = shown;
        try {
          await go(paths[start]!);
          await expectLaws(page);
          for (const act of session) {
            await carryOut(shown, act);
            // Before the first screen of the session there is nothing of the page.
            if (!page.url().startsWith(board.service.url)) await page.goForward();
            await close(page);
            await expectLaws(page);
          }
          expectClean();
        } finally {
          await shown.close();
        }
      }),
      // A gate must not depend on chance: `npm run test:deep` takes other sessions each time.
      isDeep ? { numRuns: 20, endOnFailure: true } : { numRuns: 2, seed: 20, endOnFailure: true },
    );
  }, 900_000);

  /** Opens the list of each field that has one, and closes it. */
  const closeLists = async (page: Page): Promise<number> => {
    const dialogs = await page.locator("dialog[open]").count();
    const around = dialogs > 0 ? "dialog[open]" : "main";
    const fields = page.locator(`${around} [role="combobox"]:visible, ${around} .mention textarea:visible`);
    // A list that opens by itself is all that its dialog is for, and closes with it.
    if ((await page.locator('[role="combobox"][aria-expanded="true"]').count()) > 0) return 0;
    const all = await fields.all();
    for (const field of all) {
      await field.click();
      if ((await field.getAttribute("role")) !== "combobox") await page.keyboard.type(" @");
      await expect.poll(() => page.locator(".options:popover-open").count()).toBe(1);
      await page.keyboard.press("Escape");
      await expect.poll(() => page.locator(":popover-open").count()).toBe(0);
      expect(await page.locator("dialog[open]").count()).toBe(dialogs);
      expect(await field.evaluate((element) => element.matches(":focus"))).toBe(true);
    }
    return all.length;
  };

  it("closes the list of a field by Escape, and not the dialog or the screen around it", async () => {
    const { page, at, expectClean, close } = await board.signedIn("/inbox");
    let lists = 0;
    for (const path of Object.values(screens)) {
      await page.goto(at(path));
      await finishLoading(page);
      lists += await closeLists(page);
    }
    for (const { on, open } of Object.values(openedParts)) {
      await page.goto(at(screens[on]!));
      await finishLoading(page);
      await open(page);
      lists += await closeLists(page);
    }
    expect(lists).toBeGreaterThan(10);
    expectClean();
    await close();
  });
});
