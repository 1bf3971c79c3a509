import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { aPerson, type Board, startBoard } from "./board.ts";
import { chromiumPath } from "./chromium.ts";

/** Whether the top of an element can be seen. */
const isInView = (element: unknown): boolean => {
  const { top, bottom } = (
    element as { getBoundingClientRect(): { readonly top: number; readonly bottom: number } }
  ).getBoundingClientRect();
  const { innerHeight } = globalThis as unknown as { readonly innerHeight: number };
  return top >= 0 && top < innerHeight && bottom > 0;
};

describe.skipIf(chromiumPath === null)("An issue on the board page", () => {
  let board: Board;
  let companyId: string;
  let issueId: string;
  let path: string;
  beforeAll(async () => {
    board = await startBoard();
    const { admin } = board.service;
    ({ id: companyId } = await admin.companies.create({ name: "Harbour Works" }));
  });
  beforeEach(async () => {
    const issue = await board.service.admin.issues.create({ companyId, title: "Mend the crane" });
    issueId = issue.id;
    path = `/HAR/issues/${issue.identifier}`;
  });
  afterAll(() => board?.stop());

  it("shows interactions with their actions: tasks with their parents, answers that survive a reload, reasons", async () => {
    const { admin } = board.service;
    await admin.interactions.create({
      issueId,
      kind: "suggest_tasks",
      title: "Sub-issues",
      payload: {
        tasks: [
          { clientKey: "steel", title: "Order steel" },
          { clientKey: "prices", parentClientKey: "steel", title: "Ask for prices" },
          { clientKey: "weld", title: "Weld the arm" },
        ],
      },
    });
    await admin.interactions.create({
      issueId,
      kind: "ask_user_questions",
      title: "Paint",
      payload: {
        questions: [
          {
            id: "colour",
            prompt: "Which **colour**?",
            selectionMode: "single",
            required: true,
            options: [
              { id: "red", label: "`Red`" },
              { id: "other", label: "Another", freeText: true },
            ],
          },
        ],
      },
    });
    await admin.interactions.create({
      issueId,
      kind: "request_confirmation",
      title: "Ship",
      payload: { prompt: "Ship **it**?", rejectRequiresReason: true },
    });
    const { page, expectClean, expectAccessible, close } = await board.signedIn(path);
    const interaction = (title: string) => page.getByRole("article", { name: `Interaction: ${title}` });
    await interaction("Sub-issues").getByLabel("Order steel").uncheck();
    await interaction("Sub-issues").getByRole("button", { name: "Create 1 issue" }).waitFor();
    await interaction("Sub-issues").getByLabel("Ask for prices").check();
    await interaction("Sub-issues").getByLabel("Weld the arm").uncheck();
    await interaction("Sub-issues").getByRole("button", { name: "Create 2 issues" }).click();
    await interaction("Sub-issues")
      .getByRole("link", { name: /^HAR-\d+ Order steel$/ })
      .waitFor();
    await interaction("Sub-issues").getByText("Weld the arm (not selected)").waitFor();

    await interaction("Paint").locator("legend strong", { hasText: "colour" }).waitFor();
    await interaction("Paint").locator("label code", { hasText: "Red" }).waitFor();
    await interaction("Ship").locator("strong", { hasText: "it" }).waitFor();
    await interaction("Paint").getByLabel("Another").check();
    await interaction("Paint").getByLabel("Add details").fill("Blue");
    await page.reload();
    await interaction("Paint").getByRole("button", { name: "Answer" }).click();
    await interaction("Paint").getByText("Another, Blue").waitFor();

    await interaction("Ship").getByRole("button", { name: "Reject" }).click();
    await interaction("Ship").getByLabel("Reason").fill("Too early.");
    await interaction("Ship").getByRole("button", { name: "Reject" }).click();
    await interaction("Ship").getByText("Too early.").waitFor();
    await interaction("Ship").getByText("Rejected").waitFor();
    await expectAccessible();
    expectClean();
    await close();
  });

  it("is dismissed by others than its author, who takes it back", async () => {
    const { admin, as } = board.service;
    const other = as((await aPerson(board, companyId, "Grace", "owner")).token);
    const payload = { prompt: "Ship it?" };
    await admin.interactions.create({ issueId, kind: "request_confirmation", title: "Mine", payload });
    await other.interactions.create({ issueId, kind: "request_confirmation", title: "Hers", payload });
    const { page, expectClean, close } = await board.signedIn(path);
    const interaction = (title: string) => page.getByRole("article", { name: `Interaction: ${title}` });
    await interaction("Mine").getByRole("button", { name: "Withdraw" }).click();
    await interaction("Mine").getByText("Closed without an answer.").waitFor();
    await interaction("Hers").getByRole("button", { name: "Accept" }).waitFor();
    expect(await interaction("Hers").getByRole("button", { name: "Withdraw" }).count()).toBe(0);
    await interaction("Hers").getByRole("button", { name: "Dismiss" }).click();
    await interaction("Hers").getByText("Closed without an answer.").waitFor();
    expectClean();
    await close();
  });

  it("reports that another user has saved a document, and overwrites nothing unread", async () => {
    const { admin } = board.service;
    const plan = await admin.documents.put({ issueId, key: "plan", body: "# Plan\n\nSteel first." });
    const { page, expectClean, close } = await board.signedIn(path);
    await page.getByRole("button", { name: /^plan/ }).click();
    await page.getByRole("button", { name: "Edit the text" }).click();
    await page.getByLabel("Text", { exact: true }).fill("# Plan\n\nRope first.");
    await admin.documents.put({
      issueId,
      key: "plan",
      body: "# Plan\n\nPaint first.",
      baseRevisionId: plan.latestRevisionId,
    });
    await page.getByText("Revision 2 was saved while you were editing").waitFor();
    await page.getByRole("button", { name: "Save", disabled: true }).waitFor();
    await page.getByRole("button", { name: "Keep mine" }).click();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Rope first.").waitFor();
    await page.getByRole("button", { name: "Revisions" }).click();
    await page.getByRole("button", { name: "Restore revision 2" }).click();
    await page.getByText("Restored revision 2").waitFor();
    expectClean();
    await close();
  });

  it("goes to the card that the address names, and to the newest by a key", async () => {
    const { admin } = board.service;
    const issue = await admin.issues.create({ companyId, title: "Dredge the basin" });
    const ask = (title: string) =>
      admin.interactions.create({
        issueId: issue.id,
        kind: "request_confirmation",
        title,
        payload: { prompt: `${title}?` },
      });
    const first = await ask("Hire a barge");
    for (let line = 1; line <= 30; line++)
      await admin.issues.comment({ issueId: issue.id, body: `Sounding ${line}\n\nfour fathoms` });
    await ask("Close the gate");
    await admin.issues.comment({ issueId: issue.id, body: "The last sounding" });
    const { page, at, expectClean, expectAccessible, close } = await board.signedIn("/");
    await page.goto(at(`/HAR/issues/${issue.identifier}#${first.id}`));
    const focused = () => page.locator("article:focus").getAttribute("aria-label");
    const isSeen = () => page.locator("article:focus").evaluate(isInView);
    await expect.poll(focused).toBe("Interaction: Hire a barge");
    // Later reads may move it.
    await expect.poll(isSeen).toBe(true);
    // Open questions stand above the thread, with their buttons.
    const waiting = page.getByRole("region", { name: "2 questions need your answer" });
    expect(await waiting.getByRole("button", { name: "Accept" }).count()).toBe(2);
    await expectAccessible();
    await page.keyboard.press("n");
    await expect.poll(() => page.locator("article:focus").textContent()).toContain("The last sounding");
    await expect.poll(isSeen).toBe(true);
    expectClean();
    await close();
  });
});
