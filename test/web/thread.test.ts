import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { aPerson, type Board, startBoard, unique } from "./board.ts";
import { chromiumPath } from "./chromium.ts";

/** A picture of one pixel. */
const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

/** Pastes or drops files into the comment box, as a browser does. */
const bring = (kind: "paste" | "drop", files: readonly { name: string; type: string; base64: string }[]) => `
  (() => {
    const data = new DataTransfer();
    for (const { name, type, base64 } of ${JSON.stringify(files)})
      data.items.add(new File([Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))], name, { type }));
    const area = document.querySelector(".issue-composer textarea");
    const options = { bubbles: true, cancelable: true };
    area.dispatchEvent(${kind === "paste" ? 'new ClipboardEvent("paste", { ...options, clipboardData: data })' : 'new DragEvent("drop", { ...options, dataTransfer: data })'});
  })()`;

describe.skipIf(chromiumPath === null)("The thread of an issue", () => {
  let board: Board;
  let companyId: string;
  beforeAll(async () => {
    board = await startBoard();
    ({ id: companyId } = await board.service.admin.companies.create({ name: "Harbour Works" }));
  });
  afterAll(() => board?.stop());

  const anIssue = (title: string, fields: object = {}) =>
    board.service.admin.issues.create({ companyId, title, ...fields });
  const hire = (name: string) =>
    board.service.admin.agents.create({
      companyId,
      name,
      adapterType: "process",
      adapterConfig: { command: "true" } as never,
    });

  it("offers who only reads by now no change of an own comment", async () => {
    const { admin } = board.service;
    const { id: issueId, identifier } = await anIssue("Read");
    const person = await aPerson(board, companyId, unique("Rita"), "operator");
    await board.service.as(person.token).issues.comment({ issueId, body: "Mine" });
    await admin.members.set({ companyId, userId: person.id, role: "viewer" });
    const { page, expectClean, close } = await board.signedIn(`/HAR/issues/${identifier}`, {
      token: person.token,
    });
    await page.getByRole("button", { name: /^Actions on the comment/ }).click();
    await page.getByRole("menuitem", { name: "Copy link" }).waitFor();
    expect(await page.getByRole("menuitem").allTextContents()).toEqual(["Copy link"]);
    expectClean();
    await close();
  });

  it("says that a comment wakes nobody while the budget of the project is used up", async () => {
    const { admin } = board.service;
    const { id: agentId } = await hire(unique("Una"));
    const { id: projectId } = await admin.projects.create({ companyId, name: "Spent" });
    const { identifier } = await anIssue("Costly", { assigneeAgentId: agentId, projectId });
    await admin.projects.update({ projectId, budgetMonthlyCents: 1 });
    const { page, expectClean, close } = await board.signedIn(`/HAR/issues/${identifier}`);
    const composer = page.locator(".issue-composer");
    await composer.getByText(/^Una \w+ will be notified\.$/).waitFor();
    await admin.costs.report({ companyId, agentId, projectId, provider: "p", model: "m", costCents: 2 });
    await composer
      .getByText(/^Una \w+ will read it when work resumes\. The project is over budget\./)
      .waitFor();
    expectClean();
    await close();
  });

  it("leads to the comment that the address names, among 300, and marks it", async () => {
    const { admin } = board.service;
    const { id: issueId, identifier } = await anIssue("Long");
    const ids: string[] = [];
    for (let n = 0; n < 300; n++) ids.push((await admin.issues.comment({ issueId, body: `Word ${n}` })).id);
    const { page, context, at, expectClean, expectAccessible, close } = await board.signedIn(
      `/HAR/issues/${identifier}#comment-${ids[3]}`,
    );
    const named = page.locator("[aria-current=location]");
    await named.getByText("Word 3", { exact: true }).waitFor();
    await expect.poll(() => page.evaluate("document.activeElement.textContent")).toContain("Word 3");
    await expect
      .poll(() =>
        page.evaluate(
          `document.querySelector("[aria-current=location]").getBoundingClientRect().top < innerHeight`,
        ),
      )
      .toBe(true);
    await expectAccessible();
    // Another one in the same page, by the address, and by its own link.
    await page.evaluate(`location.hash = "comment-${ids[250]}"`);
    await named.getByText("Word 250", { exact: true }).waitFor();
    // The list moves until the comment has the focus.
    await expect.poll(() => page.evaluate("document.activeElement.textContent")).toContain("Word 250");
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    const last = page.getByRole("article", { name: "Comment by board" }).filter({ hasText: "Word 251" });
    await last.getByRole("button", { name: /^Actions on the comment/ }).click();
    await page.getByRole("menuitem", { name: "Copy link" }).click();
    await page.getByText("Link copied").waitFor();
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe(
      at(`/HAR/issues/${identifier}#comment-${ids[251]}`),
    );
    await last.getByRole("link", { name: /^Link to this comment/ }).click();
    await named.getByText("Word 251", { exact: true }).waitFor();
    expect(page.url()).toBe(at(`/HAR/issues/${identifier}#comment-${ids[251]}`));
    expectClean();
    await close();
  });

  it("takes pictures that are pasted, dropped or chosen, and shows them; an SVG stays a link", async () => {
    const { identifier } = await anIssue("Pictures");
    const { page, expectClean, expectAccessible, close } = await board.signedIn(`/HAR/issues/${identifier}`);
    const text = page.getByRole("textbox", { name: "Comment" });
    await text.fill("Look: ");
    await text.press("End");
    const svg = Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>`);
    await page.evaluate(
      bring("paste", [{ name: "hook.png", type: "image/png", base64: png.toString("base64") }]),
    );
    await expect.poll(() => text.inputValue()).toMatch(/^Look: !\[hook\.png\]\(\/api\/attachments\//);
    await page.evaluate(
      bring("drop", [{ name: "drawing].svg", type: "image/svg+xml", base64: svg.toString("base64") }]),
    );
    await expect.poll(() => text.inputValue()).toContain("![drawing .svg](");
    await page
      .getByLabel("Files for the comment")
      .setInputFiles({ name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("4.1 mm") });
    await expect.poll(() => text.inputValue()).toContain("\n[notes.txt](");
    await page.getByRole("button", { name: "Comment", exact: true }).click();
    const comment = page.getByRole("article", { name: "Comment by board" });
    const picture = comment.getByRole("img", { name: "hook.png" });
    await expect
      .poll(() => page.evaluate(`document.querySelector(".issue-timeline img").naturalWidth`))
      .toBe(1);
    expect(await comment.locator("img").count()).toBe(1);
    await comment.getByRole("link", { name: "drawing .svg" }).waitFor();
    await comment.getByRole("link", { name: "notes.txt" }).waitFor();
    // Files of other issues, and pictures from elsewhere, stay words.
    const source = await picture.getAttribute("src");
    const other = await anIssue("Other");
    await board.service.admin.issues.comment({
      issueId: other.id,
      body: `![theirs](${new URL(source!).pathname}) ![far](https://pictures.example/a.png)`,
    });
    await expectAccessible();
    await page.goto(new URL(`/HAR/issues/${other.identifier}`, page.url()).href);
    await page.getByRole("link", { name: "far" }).waitFor();
    expect(await page.locator(".issue-timeline img").count()).toBe(0);
    expectClean();
    await close();
  });

  it("colours whole names that it wakes, and says before whom a comment wakes", async () => {
    const [ada, grace] = [await hire("Ada Lovelace"), await hire("Grace Hopper")];
    await board.service.admin.agents.pause({ agentId: grace.id });
    const { identifier } = await anIssue("Names", { assigneeAgentId: ada.id });
    const { page, expectClean, close } = await board.signedIn(`/HAR/issues/${identifier}`);
    const form = page.getByRole("form", { name: "Comment" });
    await form.getByText("Ada Lovelace will be notified.", { exact: true }).waitFor();
    await page
      .getByRole("textbox", { name: "Comment" })
      .fill("@grace hopper, **@Ada Lovelace** and @nobody, but not `@Grace Hopper`. İ@Ada x@Ada.com");
    await form
      .getByText(/^Ada Lovelace will be notified\. Grace Hopper will read it when work resumes/)
      .waitFor();
    await page.getByRole("button", { name: "Comment", exact: true }).click();
    const mentions = page.locator(".issue-timeline .mention");
    await expect.poll(() => mentions.allTextContents()).toEqual(["@grace hopper", "@Ada Lovelace"]);
    await mentions.first().click();
    await page.getByRole("heading", { name: "Grace Hopper" }).waitFor();
    expectClean();
    await close();
  });

  it("highlights code in a known language and copies it", async () => {
    const { id: issueId, identifier } = await anIssue("Code");
    const code = 'const hook = "worn"; // 4.1 mm';
    await board.service.admin.issues.comment({
      issueId,
      body: `\`\`\`ts\n${code}\n\`\`\`\n\n\`\`\`gibberish\nplain\n\`\`\``,
    });
    const { page, context, expectClean, expectAccessible, close } = await board.signedIn(
      `/HAR/issues/${identifier}`,
    );
    const block = page.locator(".code-block").first();
    await block.locator(".hljs-keyword").getByText("const").waitFor();
    expect(await block.locator("code").textContent()).toBe(code);
    expect(await page.locator(".code-block").last().locator("code > span").count()).toBe(0);
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await block.getByRole("button", { name: "Copy code" }).focus();
    await page.keyboard.press("Enter");
    await block.getByRole("button", { name: "Copied" }).waitFor();
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe(code);
    await expectAccessible();
    expectClean();
    await close();
  });

  it("goes in the direction of its texts, with the lines of quotations, the marks of lists and code", async () => {
    const { admin } = board.service;
    const { id: issueId, identifier } = await anIssue("Directions");
    const rest = ["- ترتيب\n\n  ثم طلاء", "- [x] حبل", "| أ | ب |\n| - | - |\n| ج | د |"].join("\n\n***\n\n");
    for (const quoted of ["المرفأ مغلق", "The harbour is closed"])
      await admin.issues.comment({
        issueId,
        body: `> ${quoted}\n>\n> - ${quoted}\n>\n> \`\`\`\n> a(b)\n> \`\`\``,
      });
    await admin.issues.comment({ issueId, body: rest });
    const { page, expectClean, close } = await board.signedIn(`/HAR/issues/${identifier}`);
    await page.getByRole("table").waitFor();
    const styles = (selector: string, names: readonly string[]) =>
      page.evaluate(
        `[...document.querySelectorAll("${selector}")].map((each) => ${JSON.stringify(names)}.map((name) => getComputedStyle(each).getPropertyValue(name)))`,
      );
    expect(await styles("blockquote", ["border-right-width", "border-left-width"])).toEqual([
      ["3px", "0px"],
      ["0px", "3px"],
    ]);
    expect(await styles("blockquote ul", ["padding-right", "padding-left"])).toEqual([
      ["20px", "0px"],
      ["0px", "20px"],
    ]);
    expect(await styles("blockquote pre", ["direction"])).toEqual([["ltr"], ["ltr"]]);
    expect(await styles(".markdown > ul", ["padding-right", "padding-left"])).toEqual([
      ["20px", "0px"],
      ["20px", "0px"],
    ]);
    expect(await styles("li.task > input", ["margin-right", "margin-left"])).toEqual([["0px", "8px"]]);
    expect(await styles(".markdown-table td", ["padding-right", "padding-left", "text-align"])).toEqual([
      ["0px", "12px", "start"],
      ["0px", "12px", "start"],
    ]);
    expectClean();
    await close();
  });

  it("is printed whole, dark on light, without what is pressed", async () => {
    const { admin } = board.service;
    const { id: issueId, identifier } = await anIssue("Paper");
    for (let n = 0; n < 210; n++) await admin.issues.comment({ issueId, body: `Line ${n}` });
    const { page, expectClean, close } = await board.signedIn(`/HAR/issues/${identifier}`, {
      colorScheme: "dark",
    });
    const earlier = page.getByRole("button", { name: "Show earlier comments" });
    await earlier.waitFor();
    // The button goes by itself once the last page has come.
    const press = (all: readonly unknown[]) => {
      for (const each of all) (each as { click(): void }).click();
      return all.length;
    };
    await expect.poll(() => earlier.evaluateAll(press)).toBe(0);
    const rows = page.locator(".issue-timeline > li");
    await expect.poll(() => rows.count()).toBeLessThan(200);
    await page.emulateMedia({ media: "print" });
    await page.evaluate("dispatchEvent(new Event('beforeprint'))");
    expect(await rows.count()).toBe(210);
    const shownButtons = `[...document.querySelectorAll("button, .button, textarea")].filter((each) => each.checkVisibility()).map((each) => each.outerHTML.slice(0, 80))`;
    expect(await page.evaluate(shownButtons)).toEqual([]);
    expect(await page.evaluate("getComputedStyle(document.documentElement).backgroundColor")).toBe(
      "rgb(255, 255, 255)",
    );
    // All of it flows over the pages: nothing is in a box that scrolls.
    expect(
      await page.evaluate(
        "document.documentElement.scrollHeight > document.querySelector('.issue-timeline').offsetHeight",
      ),
    ).toBe(true);
    await page.emulateMedia({ media: "screen" });
    await page.evaluate("dispatchEvent(new Event('afterprint'))");
    await expect.poll(() => rows.count()).toBeLessThan(200);
    expectClean();
    await close();
  });
});
