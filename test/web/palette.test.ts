import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually } from "../support/eventually.ts";
import { aPerson, type Board, startBoard, unique } from "./board.ts";
import { chromiumPath } from "./chromium.ts";
import { holdRequests } from "./hold-requests.ts";

/** Ends the text of the field and presses Enter before the page comes to draw again, as a fast hand at a busy page does. */
const typedAtOnce = (text: string) => `(async () => {
  const field = document.activeElement;
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set.call(field, ${JSON.stringify(text)});
  field.dispatchEvent(new InputEvent("input", { bubbles: true }));
  await Promise.resolve();
  field.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true, cancelable: true }));
})()`;

describe.skipIf(chromiumPath === null)("Enter in the palette", () => {
  let board: Board;
  let companyId: string;
  beforeAll(async () => {
    board = await startBoard();
    ({ id: companyId } = await board.service.admin.companies.create({ name: "Harbour Works" }));
  });
  afterAll(() => board?.stop());

  const agent = (name: string) =>
    board.service.admin.agents.create({ companyId, name, role: "engineer", adapterType: "process" });
  const paused = async () =>
    (await board.service.admin.agents.list({ companyId }))
      .filter(({ pauseReason }) => pauseReason !== null)
      .map(({ name }) => name);

  it("does what the words name that are typed by then, not what an earlier list showed first", async () => {
    const [first, vera] = ["Ada", "Vera"].map(unique);
    for (const name of [first!, vera!]) await agent(name);
    const { page, expectClean, close } = await board.signedIn("/HAR/agents");
    await page.getByRole("heading", { name: "Agents" }).waitFor();
    await page.keyboard.press("Control+k");
    await page.keyboard.type("pause");
    await page.getByRole("option", { name: "Pause Ada", selected: true }).waitFor();
    await page.evaluate(typedAtOnce(`pause ${vera}`));
    await eventually(paused, (names) => names.includes(vera!));
    expect(await paused()).not.toContain(first);
    expectClean();
    await close();
  });

  it("says what was done once the palette has closed, and takes it back", async () => {
    const name = unique("Grace");
    await agent(name);
    const { page, expectClean, close } = await board.signedIn("/HAR/agents");
    await page.getByRole("heading", { name: "Agents" }).waitFor();
    await page.keyboard.press("Control+k");
    await page.keyboard.type(`pause ${name}`);
    await page.getByRole("option", { name: `Pause ${name}`, selected: true }).waitFor();
    await page.keyboard.press("Enter");
    await page.getByText(`${name} paused`).waitFor();
    await eventually(paused, (names) => names.includes(name));
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByText(`${name} resumed`).waitFor();
    await eventually(paused, (names) => !names.includes(name));
    expectClean();
    await close();
  });

  it("does what was seen as chosen, though an answer that comes later puts an approval before it", async () => {
    const { admin } = board.service;
    const name = `Mary ${crypto.randomUUID().slice(0, 8)}`;
    await agent(name);
    const { page, expectClean, close } = await board.signedIn("/HAR/agents");
    await page.getByRole("heading", { name: "Agents" }).waitFor();
    const letIn = await holdRequests(page, "**/inbox?*");
    // Only now, because the page may have read the inbox before.
    await admin.approvals.create({
      companyId,
      type: "approve_ceo_strategy",
      payload: { title: `Pause ${name} for good` },
    } as never);
    await page.keyboard.press("Control+k");
    await page.keyboard.type(`pause ${name}`);
    const chosen = page.getByRole("option", { name: new RegExp(`^Pause ${name}`), selected: true });
    await chosen.waitFor();
    letIn();
    await page.getByRole("option", { name: `Decide Pause ${name} for good` }).waitFor();
    await chosen.waitFor();
    await page.keyboard.press("Enter");
    await page.getByText(`${name} paused`).waitFor();
    expect(await paused()).toContain(name);
    expectClean();
    await close();
  });

  it("ends a word that an input method composes, and chooses nothing", async () => {
    const { page, expectClean, close } = await board.signedIn("/HAR/agents");
    await page.getByRole("heading", { name: "Agents" }).waitFor();
    await page.keyboard.press("Control+k");
    await page.getByRole("option", { name: "Inbox" }).waitFor();
    await page.evaluate(`document.activeElement.dispatchEvent(
      new KeyboardEvent("keydown", { key: "Enter", isComposing: true, bubbles: true, cancelable: true }),
    )`);
    await page.keyboard.type("pulse");
    await page.getByRole("option", { name: "Pulse", selected: true }).waitFor();
    expect(page.url()).toContain("/HAR/agents");
    expectClean();
    await close();
  });

  it("opens the issue that the words name, before it changes the one that is shown", async () => {
    const { admin } = board.service;
    const { identifier, id: issueId } = await admin.issues.create({ companyId, title: "Sound the bell" });
    const { page, expectClean, close } = await board.signedIn(`/HAR/issues/${identifier}`);
    await page.getByRole("heading", { name: "Sound the bell" }).waitFor();
    const letIn = await holdRequests(page, "**/search?*");
    await page.keyboard.press("Control+k");
    await page.keyboard.type(identifier);
    await page.keyboard.press("Enter");
    letIn();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.keyboard.press("Control+k");
    await page.keyboard.type(identifier);
    await page.getByRole("option", { name: `Move ${identifier} to Done` }).waitFor();
    await page.getByRole("option", { name: "Sound the bell", selected: true }).waitFor();
    expect((await admin.issues.get({ issueId })).status).toBe("backlog");
    expectClean();
    await close();
  });

  it("opens no issue that only earlier words have found", async () => {
    const { admin } = board.service;
    const titles = ["Close the quay", "Close the lock"];
    for (const title of titles) await admin.issues.create({ companyId, title });
    const { page, expectClean, close } = await board.signedIn("/HAR/agents");
    await page.getByRole("heading", { name: "Agents" }).waitFor();
    await page.keyboard.press("Control+k");
    await page.keyboard.type("close");
    const first = page.getByRole("option", { name: "Close the" }).first();
    await first.waitFor();
    const shown = await first.textContent();
    const other = titles.find((title) => !shown!.includes(title))!;
    const letIn = await holdRequests(page, "**/search?*");
    await page.keyboard.type(other.slice("close the".length));
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: other }).waitFor();
    letIn();
    expectClean();
    await close();
  });

  it("offers what the service would take now, of each record and for each role", async () => {
    const { admin } = board.service;
    const company = await admin.companies.create({ name: "Quarry" });
    const hire = (name: string) =>
      admin.agents.create({ companyId: company.id, name, role: "engineer", adapterType: "process" });
    const [active, paused] = [await hire("Nell Active"), await hire("Nell Paused")];
    await admin.agents.pause({ agentId: paused.id });
    await admin.approvals.hire({ companyId: company.id, name: "Nell Draft", role: "engineer" } as never);
    const { id: projectId } = await admin.projects.create({ companyId: company.id, name: "P" });
    const routine = (title: string, projectId: string) =>
      admin.routines.create({ companyId: company.id, title, assigneeAgentId: active.id, projectId });
    const open = await admin.projects.create({ companyId: company.id, name: "Open" });
    await routine("Nell rounds", open.id);
    await routine("Nell rounds of old", projectId);
    await admin.projects.archive({ projectId });
    const tokenOf = async (role: "viewer" | "operator") =>
      (await aPerson(board, company.id, role, role)).token;
    const offers = async (token: string, words: string, until: string, expected: readonly string[]) => {
      const { page, expectClean, close } = await board.signedIn(`/${company.issuePrefix}/agents`, { token });
      await page.getByRole("heading", { name: "Agents" }).waitFor();
      const answers = ["agents?callerMay", "routines?callerMay", "inbox?"].map((part) =>
        page.waitForResponse((response) => response.url().includes(part)),
      );
      await page.keyboard.press("Control+k");
      await page.keyboard.type(words);
      await page.getByRole("option", { name: until }).first().waitFor();
      for (const answer of answers) await (await answer).finished();
      await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
      const deeds = async () =>
        (await page.getByRole("option").allTextContents())
          .filter((text) => text.endsWith("Do"))
          .map((text) => text.slice(0, -2))
          .sort();
      await expect.poll(deeds).toEqual(expected);
      expectClean();
      await close();
    };
    await offers(await tokenOf("operator"), "nell", "Run routine Nell rounds now", [
      "Pause Nell Active",
      "Resume Nell Paused",
      "Run routine Nell rounds now",
      "Wake Nell Active",
    ]);
    const viewer = await tokenOf("viewer");
    await offers(viewer, "nell", "Nell Active", []);
    await offers(viewer, "n", "Nell Active", []);
  });
});
