import type { CDPSession, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Board, type BoardPage, startBoard } from "./board.ts";
import { chromiumPath } from "./chromium.ts";
import { holdRequests } from "./hold-requests.ts";

interface AxNode {
  readonly role?: { readonly value: string };
  readonly name?: { readonly value: string };
  readonly properties?: readonly { readonly name: string; readonly value: { readonly value?: unknown } }[];
}

/** The element with the focus, as a screen reader says it: `button Approve`. */
const focused = async (cdp: CDPSession): Promise<string> => {
  const { nodes } = (await cdp.send("Accessibility.getFullAXTree")) as { nodes: readonly AxNode[] };
  const found = nodes.findLast(({ properties }) =>
    properties?.some(({ name, value }) => name === "focused" && value.value === true),
  );
  return `${found?.role?.value ?? "nothing"} ${found?.name?.value ?? ""}`.trim();
};

/** The element with the focus; null: none, or the browser's own. */
const inspectFocus = `(() => {
  const { activeElement: element, body } = document;
  if (element === null || element === body) return null;
  const { width, height } = element.getBoundingClientRect();
  const isSeen = element.checkVisibility() && width + height > 0;
  return element.outerHTML.slice(0, 80) + (isSeen ? "" : " UNSEEN");
})()`;

/** The element with the focus where it waits unseen below what is not there yet; empty for others. */
const unseenFocus = `(() => {
  const { activeElement: element } = document;
  return element?.matches(".in-order-rest ~ *, .in-order-rest ~ * *") ? element.outerHTML.slice(0, 120) : "";
})()`;

/** The live regions that hold a text. */
const regionsWith = (
  text: string,
) => `[...document.querySelectorAll("[aria-live], [role=status], [role=alert]")]
  .filter((each) => each.textContent.includes(${JSON.stringify(text)})).length`;

const loaded = async (page: Page) => {
  await page.locator("main h1").waitFor();
  await expect.poll(() => page.locator(".skeleton").count()).toBe(0);
  await page.locator(".live-mark.live").waitFor();
};

describe.skipIf(chromiumPath === null)("The focus on the board page", () => {
  let board: Board;
  let companyId: string;
  beforeAll(async () => {
    board = await startBoard();
    const { admin } = board.service;
    ({ id: companyId } = await admin.companies.create({ name: "Harbour Works" }));
    for (const title of ["Mend the crane", "Paint the hull"]) await admin.issues.create({ companyId, title });
  });
  afterAll(() => board?.stop());

  const opened = async (
    path: string,
  ): Promise<BoardPage & { readonly announcement: () => Promise<string> }> => {
    const shown = await board.signedIn(path);
    await loaded(shown.page);
    const cdp = await shown.context.newCDPSession(shown.page);
    return { ...shown, announcement: () => focused(cdp) };
  };
  const eventually = (announcement: () => Promise<string>, what: string) =>
    expect.poll(announcement).toBe(what);

  it("begins before the navigation, and a link of it moves the focus to the title of the new screen", async () => {
    const { page, announcement, expectClean, close } = await opened("/HAR/issues");
    await page.keyboard.press("Tab");
    await eventually(announcement, "button Skip to content");
    await page.keyboard.press("Enter");
    await eventually(announcement, "heading Issues");
    await page.getByRole("navigation").getByRole("link", { name: "Agents" }).press("Enter");
    await eventually(announcement, "heading Agents");
    expect(await page.title()).toBe("Agents · Boardroom");
    for (const key of ["g", "i"]) await page.keyboard.press(key);
    await eventually(announcement, "heading Inbox");
    await page.keyboard.press("Control+k");
    await page.keyboard.type("Mend the crane");
    await page
      .getByRole("option", { name: /Mend the crane/ })
      .first()
      .waitFor();
    await page.keyboard.press("Enter");
    await eventually(announcement, "heading HAR-1");
    await page.goBack();
    await eventually(announcement, "heading Inbox");
    expectClean();
    await close();
  });

  it("returns to what opened a dialog, a menu or the palette when it closes", async () => {
    const { page, announcement, expectClean, close } = await opened("/HAR/issues");
    const make = page.getByRole("main").getByRole("button", { name: "New issue" });
    for (const [open, close] of [
      [() => make.press("Enter"), "dialog"],
      [() => page.keyboard.press("?"), "dialog"],
      [() => page.keyboard.press("Control+k"), "dialog"],
    ] as const) {
      await make.focus();
      await open();
      await page.getByRole(close).waitFor();
      await page.keyboard.press("Escape");
      await page.getByRole(close).waitFor({ state: "detached" });
      await eventually(announcement, "button New issue");
    }
    const filter = page.getByRole("button", { name: "Filter Filter" });
    await filter.press("Enter");
    await page.getByRole("menu", { name: "Filter" }).waitFor();
    await page.keyboard.press("Escape");
    await expect.poll(() => filter.evaluate((element) => element.matches(":focus"))).toBe(true);
    expectClean();
    await close();
  });

  it("goes to the next entry of the inbox after a decision, and to the title after the last one", async () => {
    const { admin } = board.service;
    for (const name of ["Bob", "Carol", "Dan"])
      await admin.approvals.hire({ companyId, name, role: "engineer" });
    const { page, announcement, expectClean, close } = await opened("/inbox");
    const approve = (name: string) =>
      page.getByRole("region", { name }).getByRole("button", { name: "Approve" });
    for (const [name, next] of [
      ["Bob", "link Carol"],
      ["Carol", "link Dan"],
      ["Dan", "heading Inbox"],
    ] as const) {
      await approve(name).press("Enter");
      await eventually(announcement, next);
    }
    expectClean();
    await close();
  });

  it.each(["/inbox", "/HAR/issues", "/HAR/issues/HAR-1", "/HAR/settings"])(
    "is trapped nowhere, and is always visible: %s",
    async (path) => {
      const { page, expectClean, close } = await opened(path);
      const walk = async (key: string) => {
        const seen: string[] = [];
        for (let n = 0; n < 400; n++) {
          await page.keyboard.press(key);
          const at = (await page.evaluate(inspectFocus)) as string | null;
          if (at === null) return seen;
          seen.push(at);
        }
        throw new Error(`The focus never leaves: ${seen.slice(-3).join(" | ")}`);
      };
      const forwards = await walk("Tab");
      expect(forwards.filter((each) => each.endsWith("UNSEEN"))).toEqual([]);
      expect(forwards.length).toBeGreaterThan(15);
      const backwards = await walk("Shift+Tab");
      expect(new Set(backwards)).toEqual(new Set(forwards));
      expectClean();
      await close();
    },
  );

  it("does not hear a message twice: one live region has it, and it was there before", async () => {
    const { page, expectClean, close } = await opened("/HAR/issues/HAR-1");
    expect(await page.locator(".toasts-list").count()).toBe(1);
    await page.getByRole("button", { name: "Change the assignee" }).click();
    await page.getByRole("option", { name: "board" }).click();
    const notice = "HAR-1 assigned to board";
    await page.getByText(notice).waitFor();
    expect(await page.evaluate(regionsWith(notice))).toBe(1);
    expectClean();
    await close();
  });

  it("passes by what waits unseen below what is not there yet, and keeps what is written", async () => {
    const { page, at, expectClean, close } = await board.signedIn("/inbox");
    const letIn = await holdRequests(page, "**/api/issues/*/interactions*");
    await page.goto(at("/HAR/issues/HAR-1"));
    await page.locator(".in-order-rest").waitFor({ state: "attached" });
    await page.locator("main h1").waitFor();
    const reached: string[] = [];
    for (let n = 0; n < 60; n++) {
      await page.keyboard.press("Tab");
      reached.push((await page.evaluate(unseenFocus)) as string);
    }
    expect(reached.filter((each) => each !== "")).toEqual([]);
    await expect.poll(() => page.locator("[inert]").count()).toBe(0);
    // The field that a key leads to takes what is typed before it is seen, and keeps it.
    await page.evaluate("document.activeElement.blur()");
    await page.keyboard.press("r");
    await page.keyboard.type("The dealer has it");
    letIn();
    const comment = page.getByRole("textbox", { name: "Comment" });
    await expect.poll(() => page.locator(".in-order-rest").count()).toBe(0);
    expect(await comment.inputValue()).toBe("The dealer has it");
    await page.keyboard.type(" in stock.");
    await page.keyboard.press("Tab");
    expect(await comment.inputValue()).toBe("The dealer has it in stock.");
    await page.keyboard.press("Shift+Tab");
    expect(await comment.evaluate((element) => element.matches(":focus"))).toBe(true);
    expectClean();
    await close();
  });
});
