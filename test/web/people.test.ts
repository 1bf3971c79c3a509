import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { aPerson, type Board, startBoard, unique } from "./board.ts";
import { chromiumPath } from "./chromium.ts";

describe.skipIf(chromiumPath === null)("People on the board page", () => {
  let board: Board;
  let companyId: string;
  let agentId: string;
  beforeAll(async () => {
    board = await startBoard();
    const { admin } = board.service;
    ({ id: companyId } = await admin.companies.create({ name: "Harbour Works" }));
    const config = { name: "Rigger", adapterType: "process", adapterConfig: { command: "true" } };
    ({ id: agentId } = await admin.agents.create({ companyId, ...config }));
  });
  afterAll(() => board?.stop());

  /** Somebody who has nothing waiting yet, also where a test is tried again. */
  const somebody = async (name: string) => {
    const own = unique(name);
    return { name: own, ...(await aPerson(board, companyId, own, "operator")) };
  };

  /** The agent checks the issue out and hands it over for review, in a run of its own. */
  const handOver = async (issueId: string, assigneeUserId: string) => {
    const { admin, request } = board.service;
    const { token } = await admin.agents.createKey({ agentId });
    const { id: runId } = await admin.agents.invoke({ agentId, issueId });
    const as = { token, headers: { "x-service-run-id": runId ?? "" } };
    const body = { agentId, expectedStatuses: ["todo"] };
    const claimed = await request("POST", `/api/issues/${issueId}/checkout`, { ...as, body });
    expect(claimed.status).toBe(200);
    const handed = await request("PATCH", `/api/issues/${issueId}`, {
      ...as,
      body: { status: "in_review", assigneeUserId },
    });
    expect(handed.status).toBe(200);
  };

  it("have what waits for their review in their inbox, and not in another's, and send it back from there", async () => {
    const { admin } = board.service;
    const [ada, bob] = [await somebody("Ada"), await somebody("Bob")];
    const { id, identifier } = await admin.issues.create({
      companyId,
      title: "Mend the crane",
      assigneeAgentId: agentId,
    });
    const adas = await board.signedIn("/inbox", { token: ada.token });
    const bobs = await board.signedIn("/inbox", { token: bob.token });
    for (const { page } of [adas, bobs]) {
      await page.getByText("You're all caught up").waitFor();
      await page.locator(".live-mark.live").waitFor();
    }
    await handOver(id, ada.id);
    await adas.page.getByText("Rigger is ready for your review.").first().waitFor();
    await adas.expectAccessible();
    await adas.page.getByRole("button", { name: "Send back" }).click();
    const dialog = adas.page.getByRole("dialog", { name: "Send back: Mend the crane" });
    await dialog.getByLabel("Comment").fill("The hook is loose.");
    await dialog.getByRole("button", { name: "Send back" }).click();
    await adas.page.getByText(`Rigger has ${identifier} again.`).waitFor();
    await adas.page.getByText("You're all caught up").waitFor();
    // It is sent once the time in which it can be undone is over.
    await expect.poll(async () => (await admin.issues.get({ issueId: id })).status).toBe("todo");
    expect(await admin.issues.get({ issueId: id })).toMatchObject({
      assigneeAgentId: agentId,
      assigneeUserId: null,
    });
    // Another person has seen none of it.
    await bobs.page.reload();
    await bobs.page.getByText("You're all caught up").waitFor();
    for (const each of [adas, bobs]) {
      each.expectClean();
      await each.close();
    }
  });

  it("are given issues, and find their own", async () => {
    const { admin } = board.service;
    const bob = await somebody("Bob");
    await admin.issues.create({ companyId, title: "Tar the ropes" });
    const { identifier } = await admin.issues.create({ companyId, title: "Paint the hull" });
    const all = (await admin.issues.list({ companyId })).items.length;
    const { page, at, expectClean, expectAccessible, close } = await board.signedIn(
      `/HAR/issues/${identifier}`,
      { token: bob.token },
    );
    await page.getByRole("button", { name: "Change the assignee" }).click();
    await expectAccessible();
    await page.getByRole("option", { name: bob.name }).click();
    await page.getByRole("complementary", { name: "Facts" }).getByText(bob.name).first().waitFor();
    await page.getByText(`${identifier} assigned to ${bob.name}`).waitFor();
    await page.goto(at("/HAR/issues"));
    await page.getByText(`${all} issues`).waitFor();
    await page.getByRole("link", { name: "Mine" }).click();
    await page.getByText("1 issue", { exact: true }).waitFor();
    expect(page.url()).toBe(at("/HAR/issues?assignee=me"));
    await page.getByRole("listitem").getByText(bob.name).waitFor();
    await page.goto(at("/inbox"));
    await page.getByText("Assigned to you.").first().waitFor();
    expectClean();
    await close();
  });

  it("watch an issue by a key, hear of comments, and have heard once they look", async () => {
    const { admin } = board.service;
    const ada = await somebody("Ada");
    const { id: issueId, identifier } = await admin.issues.create({ companyId, title: "Order rope" });
    const { page, at, expectClean, close } = await board.signedIn(`/HAR/issues/${identifier}`, {
      token: ada.token,
    });
    await page.getByRole("button", { name: "Subscribe", exact: true }).waitFor();
    await page.keyboard.press("w");
    await page.getByRole("button", { name: "Unsubscribe" }).waitFor();
    await page.goto(at("/inbox"));
    await page.getByText("You're all caught up").waitFor();
    await page.locator(".live-mark.live").waitFor();
    await admin.issues.comment({ issueId, body: "Forty metres." });
    await page.getByText("board commented.").first().waitFor();
    const seen = page.waitForResponse(
      (response) => response.request().method() === "PUT" && response.url().endsWith("/watchers/me"),
    );
    await page
      .getByRole("link", { name: `${identifier} Order rope` })
      .first()
      .click();
    await page.getByRole("article", { name: "Comment by board" }).waitFor();
    await seen;
    await page.goto(at("/inbox"));
    await page.getByText("You're all caught up").waitFor();
    expectClean();
    await close();
  });

  it("read what an edited comment said before", async () => {
    const { admin } = board.service;
    const { id: issueId, identifier } = await admin.issues.create({ companyId, title: "Measure rope" });
    const { id: commentId } = await admin.issues.comment({ issueId, body: "Thirty feet." });
    await admin.issues.updateComment({ issueId, commentId, body: "Thirty metres." });
    const { page, expectClean, expectAccessible, close } = await board.signedIn(`/HAR/issues/${identifier}`);
    const comment = page.getByRole("article", { name: "Comment by board" }).last();
    await comment.getByText("Thirty metres.").waitFor();
    await comment.getByRole("button", { name: "edited" }).click();
    await comment.getByText("Thirty feet.").waitFor();
    await expectAccessible();
    expectClean();
    await close();
  });
});
