import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Board, startBoard } from "./board.ts";
import { chromiumPath } from "./chromium.ts";

/** Undoing on the page what the lifecycle allows to be undone. */
describe.skipIf(chromiumPath === null)("A change on the board page is undone", () => {
  let board: Board;
  let companyId: string;
  let agentId: string;
  let bob: string;
  beforeAll(async () => {
    board = await startBoard();
    const { admin } = board.service;
    ({ id: companyId } = await admin.companies.create({ name: "Harbour Works" }));
    ({ id: agentId } = await admin.agents.create({
      companyId,
      name: "Rigger",
      adapterType: "process",
      adapterConfig: { command: "true" },
    }));
    ({ id: bob } = await admin.users.create({ name: "Bob Pier" }));
    await admin.members.set({ companyId, userId: bob, role: "operator" });
  });
  afterAll(() => board?.stop());

  const issue = (title: string, fields: object = {}) =>
    board.service.admin.issues.create({ companyId, title, ...fields });
  const facts = async (issueId: string) => {
    const { status, priority, assigneeAgentId, assigneeUserId } = await board.service.admin.issues.get({
      issueId,
    });
    return { status, priority, assigneeAgentId, assigneeUserId };
  };

  it("for each of several issues, to what that one was, people among them", async () => {
    const one = await issue("Tar the planks", { assigneeAgentId: agentId, status: "todo" });
    const other = await issue("Sweep the quay", { priority: "low" });
    const before = [await facts(one.id), await facts(other.id)];
    const { page, expectClean, expectAccessible, close } = await board.signedIn("/HAR/issues");
    for (const { identifier } of [one, other])
      await page.getByRole("checkbox", { name: `Choose ${identifier}` }).check();
    await page.getByRole("button", { name: "Change the assignee of all chosen" }).click();
    await page.getByRole("menuitem", { name: "Bob Pier" }).click();
    await page.getByText("2 issues are changed.").waitFor();
    await expectAccessible();
    expect(await Promise.all([facts(one.id), facts(other.id)])).toMatchObject([
      { assigneeUserId: bob, assigneeAgentId: null },
      { assigneeUserId: bob, assigneeAgentId: null },
    ]);
    await page.getByRole("button", { name: "Undo" }).click();
    await expect.poll(() => Promise.all([facts(one.id), facts(other.id)])).toEqual(before);
    for (const { identifier } of [one, other])
      await page.getByRole("checkbox", { name: `Choose ${identifier}` }).check();
    await page.getByRole("button", { name: "Change the priority of all chosen" }).click();
    await page.getByRole("menuitem", { name: "Critical" }).click();
    await page.getByText("2 issues are changed.").waitFor();
    await page.keyboard.press("z");
    await expect.poll(() => Promise.all([facts(one.id), facts(other.id)])).toEqual(before);
    expectClean();
    await close();
  });

  it("where some of them are refused, which are named", async () => {
    const ready = await issue("Grease the winch");
    const closed = await issue("Count the ropes", { status: "cancelled" });
    const { page, expectClean, expectAccessible, close } = await board.signedIn(
      "/HAR/issues?status=backlog,cancelled",
    );
    for (const { identifier } of [ready, closed])
      await page.getByRole("checkbox", { name: `Choose ${identifier}` }).check();
    await page.getByRole("button", { name: "Change the status of all chosen" }).click();
    await page.getByRole("menuitem", { name: "Blocked" }).click();
    await page.getByText("1 issue is changed.").waitFor();
    await page.getByRole("alert").getByText(`${closed.identifier}: `).waitFor();
    await expectAccessible();
    await page.getByRole("button", { name: "Undo" }).click();
    await expect.poll(async () => (await facts(ready.id)).status).toBe("backlog");
    expect((await facts(closed.id)).status).toBe("cancelled");
    expectClean();
    await close();
  });

  it("but not what somebody else has changed since", async () => {
    const { admin } = board.service;
    const { id, identifier } = await issue("Mend the fender");
    const { page, expectClean, close } = await board.signedIn(`/HAR/issues/${identifier}`);
    await page.getByRole("button", { name: "Change the assignee" }).click();
    await page.getByRole("option", { name: "Bob Pier" }).click();
    await page.getByText(`Bob Pier has ${identifier} now.`).waitFor();
    await admin.issues.update({ issueId: id, assigneeAgentId: agentId, assigneeUserId: null });
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByText(`${identifier} was changed again and stays as it is.`).waitFor();
    expect(await facts(id)).toMatchObject({ assigneeAgentId: agentId });
    expectClean();
    await close();
  });

  it("from the palette, which assigns and moves the issue that is shown", async () => {
    const { id, identifier } = await issue("Paint the buoy");
    const { page, expectClean, expectAccessible, close } = await board.signedIn(`/HAR/issues/${identifier}`);
    await page.getByRole("heading", { name: "Paint the buoy" }).waitFor();
    const choose = async (action: string) => {
      await page.keyboard.press("Control+k");
      await page.getByRole("combobox", { name: "Search, go and do" }).fill(action);
      await page.getByRole("option", { name: action }).waitFor();
      await expectAccessible();
      await page.keyboard.press("Enter");
    };
    await choose(`Assign ${identifier} to Bob Pier`);
    await expect.poll(async () => (await facts(id)).assigneeUserId).toBe(bob);
    await page.getByText(`Bob Pier has ${identifier} now.`).waitFor();
    await page.keyboard.press("z");
    await expect.poll(async () => (await facts(id)).assigneeUserId).toBe(null);
    await choose(`Move ${identifier} to Done`);
    await expect.poll(async () => (await facts(id)).status).toBe("done");
    expectClean();
    await close();
  });

  it("for a company that was archived, and for the status of a goal", async () => {
    const { admin } = board.service;
    const other = await admin.companies.create({ name: "Lighthouse" });
    const { page, at, expectClean, close } = await board.signedIn("/LIG/settings");
    await page.getByRole("button", { name: "Archive", exact: true }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Archive", exact: true }).click();
    await page.getByText("Lighthouse is archived.").waitFor();
    await page.getByRole("button", { name: "Undo" }).click();
    await expect.poll(async () => (await admin.companies.get({ companyId: other.id })).status).toBe("active");
    const goal = await admin.goals.create({ companyId, title: "Open before spring" });
    await page.goto(at("/HAR/settings"));
    await page.getByRole("button", { name: "Change the status of Open before spring" }).click();
    await page.getByRole("menuitemradio", { name: "Achieved" }).click();
    await page.getByText("Open before spring is achieved.").waitFor();
    await page.getByRole("button", { name: "Undo" }).click();
    await expect.poll(async () => (await admin.goals.get({ goalId: goal.id })).status).toBe(goal.status);
    expectClean();
    await close();
  });
});
