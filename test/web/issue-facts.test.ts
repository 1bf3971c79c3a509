import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Board, startBoard } from "./board.ts";
import { chromiumPath } from "./chromium.ts";

describe.skipIf(chromiumPath === null)("On the page of an issue, an operator", () => {
  let board: Board;
  let companyId: string;
  let prefix: string;
  beforeAll(async () => {
    board = await startBoard();
  });
  beforeEach(async () => {
    const { admin } = board.service;
    ({ id: companyId, issuePrefix: prefix } = await admin.companies.create({ name: "Harbour Works" }));
    await admin.agents.create({
      companyId,
      name: "Ada",
      role: "engineer",
      adapterType: "process",
      adapterConfig: { command: "/bin/true" },
    });
    await admin.projects.create({ companyId, name: "Cranes" });
    await admin.goals.create({ companyId, title: "No crane stands still" });
    await admin.labels.create({ companyId, name: "safety" });
    await admin.issues.create({ companyId, title: "Mend the crane" });
    await admin.issues.create({ companyId, title: "Order the hook" });
  });
  afterAll(() => board?.stop());

  it("sets project, goal, parent, labels, blockers, billing code and title where they stand", async () => {
    const { admin } = board.service;
    const { page, expectClean, expectAccessible, close } = await board.signedIn(
      `/${prefix}/issues/${prefix}-1`,
    );
    const facts = page.getByRole("complementary", { name: "Facts" });
    await facts.getByRole("button", { name: "Change the project" }).click();
    await facts.getByRole("combobox", { name: "Project" }).fill("cra");
    await page.getByRole("option", { name: "Cranes" }).waitFor();
    await page.keyboard.press("Enter");
    await facts.getByRole("link", { name: "Cranes" }).waitFor();
    await facts.getByRole("button", { name: "Change the goal" }).press("Enter");
    await page.keyboard.type("stands");
    await page.getByRole("option", { name: "No crane stands still" }).waitFor();
    await page.keyboard.press("Enter");
    await facts.getByRole("link", { name: "No crane stands still" }).waitFor();
    await facts.getByRole("button", { name: "Add a label" }).click();
    await page.keyboard.press("Enter");
    await facts.getByRole("link", { name: "safety" }).waitFor();
    await facts.getByRole("button", { name: "Add a blocker" }).click();
    await page.keyboard.type("hook");
    await page.getByRole("option", { name: `${prefix}-2 Order the hook` }).click();
    await facts.getByRole("link", { name: `${prefix}-2 Order the hook` }).waitFor();
    await facts.getByRole("button", { name: "Edit billing code" }).click();
    await page.getByRole("dialog").getByRole("textbox", { name: "Billing code" }).fill("K-7");
    await page.keyboard.press("Enter");
    await facts.getByText("K-7").waitFor();
    await page.getByRole("button", { name: "Edit title" }).click();
    await page.getByRole("form", { name: "Title" }).getByLabel("Title").fill("Mend crane 4");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Mend crane 4" }).first().waitFor();
    await page.getByRole("button", { name: /^Add to the issue/ }).click();
    await page.getByRole("menuitem", { name: "Sub-issue" }).click();
    const part = page.getByRole("dialog", { name: `Sub-issue of ${prefix}-1` });
    await part.getByLabel("Title").fill("Measure it");
    await part.getByRole("button", { name: "Create issue" }).click();
    const parts = page.getByRole("region", { name: "Sub-issues" });
    await parts.getByRole("link", { name: "Measure it" }).waitFor();
    await parts.getByText("0 of 1 done").waitFor();
    await expectAccessible();
    expect(await admin.issues.get({ issueId: `${prefix}-1` })).toMatchObject({
      title: "Mend crane 4",
      billingCode: "K-7",
      project: { name: "Cranes" },
      labels: [{ name: "safety" }],
      blockedBy: [{ identifier: `${prefix}-2` }],
    });
    await facts.getByRole("button", { name: `No longer blocked by ${prefix}-2` }).click();
    await page
      .locator(".toast", { hasText: `is no longer blocked by ${prefix}-2` })
      .getByRole("button", { name: "Undo" })
      .click();
    await expect
      .poll(async () => (await admin.issues.get({ issueId: `${prefix}-1` })).blockedBy.length)
      .toBe(1);
    await facts.getByRole("link", { name: "safety" }).click();
    await page.getByRole("button", { name: /Filter by label/ }).waitFor();
    await expect.poll(() => page.getByRole("list", { name: "Issues" }).getByRole("listitem").count()).toBe(1);
    expectClean();
    await close();
  });

  it("is not offered to begin what waits for another issue", async () => {
    const { admin } = board.service;
    const [ada] = await admin.agents.list({ companyId });
    const blocker = await admin.issues.create({ companyId, title: "Order the rope" });
    const { id: issueId, identifier } = await admin.issues.create({
      companyId,
      title: "Reeve the rope",
      assigneeAgentId: ada!.id,
      blockedByIssueIds: [blocker.id],
    });
    const { page, expectClean, close } = await board.signedIn(`/${prefix}/issues/${identifier}`);
    const facts = page.getByRole("complementary", { name: "Facts" });
    const offered = async () => {
      await facts.getByRole("button", { name: "Change the status" }).click();
      await page.getByRole("option", { name: "Done" }).waitFor();
      const labels = await page.getByRole("option").allTextContents();
      await page.keyboard.press("Escape");
      return labels.some((word) => word.includes("In progress"));
    };
    expect(await offered()).toBe(false);
    await admin.issues.update({ issueId, blockedByIssueIds: [] });
    await facts.getByRole("link", { name: /Order the rope/ }).waitFor({ state: "detached" });
    expect(await offered()).toBe(true);
    expectClean();
    await close();
  });

  it("makes no issue in a project that is archived, and a part of one of its issues outside of it", async () => {
    const { admin } = board.service;
    const { id: projectId } = await admin.projects.create({ companyId, name: "Sheds" });
    const { identifier } = await admin.issues.create({ companyId, title: "Roof the shed", projectId });
    const { page, go, expectClean, close } = await board.signedIn(`/${prefix}/projects/${projectId}`);
    const create = page
      .getByRole("region", { name: "Open issues" })
      .getByRole("button", { name: "New issue" });
    await create.waitFor();
    await admin.projects.archive({ projectId });
    await create.waitFor({ state: "detached" });
    await go(`/${prefix}/issues/${identifier}`);
    await page.getByRole("button", { name: /^Add to the issue/ }).click();
    await page.getByRole("menuitem", { name: "Sub-issue" }).click();
    const part = page.getByRole("dialog", { name: `Sub-issue of ${identifier}` });
    await part.getByLabel("Title").fill("Buy nails");
    await part.getByRole("button", { name: "Create issue" }).click();
    await part.waitFor({ state: "detached" });
    const { items } = await admin.issues.list({ companyId, q: "Buy nails" });
    expect(items.map((made) => made.projectId)).toEqual([null]);
    expectClean();
    await close();
  });

  it("finds an assignee by words, takes it by keys, and goes from it to the agent", async () => {
    const { admin } = board.service;
    const { identifier } = await admin.issues.create({ companyId, title: "Oil the winch" });
    const { page, at, expectClean, expectAccessible, close } = await board.signedIn(
      `/${prefix}/issues/${identifier}`,
    );
    const facts = page.getByRole("complementary", { name: "Facts" });
    const opener = facts.getByRole("button", { name: "Change the assignee" });
    await opener.press("Enter");
    await page.keyboard.press("Escape");
    await expect
      .poll(() => page.evaluate("document.activeElement.getAttribute('aria-label')"))
      .toBe("Change the assignee");
    await page.keyboard.press("Enter");
    // Enter at once leaves what is.
    await page.keyboard.press("Enter");
    await opener.waitFor();
    expect((await admin.issues.get({ issueId: identifier })).assigneeUserId).toBeNull();
    await page.keyboard.press("Enter");
    await facts.getByRole("combobox", { name: "Assignee" }).waitFor();
    await page.keyboard.type("ad");
    await page.getByRole("option", { name: "Ada" }).waitFor();
    await page.keyboard.press("Enter");
    await facts.getByRole("link", { name: "Ada" }).waitFor();
    // Why nothing happens is a word here, and a sentence on the page of the agent.
    const [agent] = await admin.agents.list({ companyId });
    const agentId = agent!.id;
    await admin.agents.pause({ agentId });
    await facts.getByText("Paused").waitFor();
    await expectAccessible();
    await admin.agents.resume({ agentId });
    await facts.getByText("Paused").waitFor({ state: "detached" });
    await facts.getByRole("link", { name: "Ada" }).click();
    await page.getByRole("heading", { name: "Ada" }).first().waitFor();
    expect(page.url()).toContain(at(`/${prefix}/agents/`));
    expectClean();
    await close();
  });

  it("reads that assigned issues stay in the backlog, and starts them", async () => {
    const { admin } = board.service;
    const { page, expectClean, close } = await board.signedIn(`/${prefix}/issues`);
    await page.getByRole("checkbox", { name: `Select ${prefix}-2` }).check();
    await page.getByRole("button", { name: "Change the assignee of the selected issues" }).click();
    await page.getByRole("menuitem", { name: "Ada" }).click();
    await page.getByText("1 stays in the backlog").waitFor();
    expect((await admin.issues.get({ issueId: `${prefix}-2` })).status).toBe("backlog");
    await page.getByRole("button", { name: "Start it" }).click();
    await expect.poll(async () => (await admin.issues.get({ issueId: `${prefix}-2` })).status).toBe("todo");
    expectClean();
    await close();
  });
});
