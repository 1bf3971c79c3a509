import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually } from "../support/eventually.ts";
import { aPerson, type Board, startBoard, unique } from "./board.ts";
import { chromiumPath } from "./chromium.ts";

/** Decisions of people on the page, and what agents' real processes make of them. */
describe.skipIf(chromiumPath === null)("A person at the board page", () => {
  let board: Board;
  let companyId: string;
  beforeAll(async () => {
    board = await startBoard({ role: "all" });
    ({ id: companyId } = await board.service.admin.companies.create({ name: "Harbour Works" }));
  });
  afterAll(() => board?.stop());

  const agent = (name: string, program: string, more: object = {}) =>
    board.service.admin.agents.create({
      companyId,
      name,
      role: "engineer",
      adapterType: "process",
      adapterConfig: { command: "sh", args: ["-c", program] } as never,
      ...more,
    });
  const runsOf = async (issueId: string) => (await board.service.admin.runs.ofIssue({ issueId })).items;

  it("accepts a confirmation in the inbox, and the agent is woken by it", async () => {
    const { admin } = board.service;
    const ada = await agent(unique("Ada"), "exit 0");
    const issue = await admin.issues.create({ companyId, title: "Close the quay", assigneeAgentId: ada.id });
    await eventually(
      () => runsOf(issue.id),
      (runs) => runs.length > 0 && runs.every(({ finishedAt }) => finishedAt !== null),
    );
    const title = unique("Close it on Monday");
    await admin.interactions.create({
      issueId: issue.id,
      kind: "request_confirmation",
      title,
      continuationPolicy: "wake_assignee",
      payload: { prompt: "Close it on Monday?" },
    } as never);
    const { page, expectClean, close } = await board.signedIn("/inbox");
    const entry = page.getByRole("listitem").filter({ hasText: title });
    await entry.getByRole("link").click();
    await page.getByRole("region", { name: title }).getByRole("button", { name: "Accept" }).click();
    await entry.waitFor({ state: "detached" });
    const runs = await eventually(
      () => runsOf(issue.id),
      (all) => all.some(({ wakeReason }) => wakeReason === "issue_card_accepted"),
    );
    expect(runs[0]!.agentId).toBe(ada.id);
    expectClean();
    await close();
  });

  it("sees on the issue why its last run failed, and has it tried again there", async () => {
    const { admin } = board.service;
    const program = `test -e "$HOME/mended-gauge" || { printf 'Error: no tide table\\n    at read (tides.js:3:1)\\n' >&2; exit 3; }`;
    const hedy = await agent(unique("Hedy"), program);
    const issue = await admin.issues.create({ companyId, title: unique("Mend the gauge") });
    await admin.agents.invoke({ agentId: hedy.id, issueId: issue.id } as never);
    const { page, expectClean, expectAccessible, close } = await board.signedIn(
      `/HAR/issues/${issue.identifier}`,
    );
    const failure = page.getByRole("region", { name: "Failed run" });
    await failure.getByText("Error: no tide table (exit code 3)").waitFor();
    const row = page.getByRole("region", { name: "Runs" }).getByRole("row").nth(1);
    await row.getByText("Error: no tide table (exit code 3)").waitFor();
    await expectAccessible();
    await failure.getByRole("button", { name: "Retry" }).click();
    const [again, failed] = await eventually(
      () => runsOf(issue.id),
      (runs) => runs.length === 2 && runs[0]!.finishedAt !== null,
    );
    expect(again).toMatchObject({ wakeReason: "run_retried", retryOfRunId: failed!.id });
    await admin.agents.terminate({ agentId: hedy.id });
    expectClean();
    await close();
  });

  it("has a failed run tried again from the inbox, and the entry goes", async () => {
    const { admin } = board.service;
    const grace = await agent(unique("Grace"), 'test -e "$HOME/mended-crane" || exit 3');
    const issue = await admin.issues.create({ companyId, title: unique("Mend the crane") });
    await admin.agents.invoke({ agentId: grace.id, issueId: issue.id } as never);
    const { page, expectClean, close } = await board.signedIn("/inbox");
    const entry = page.getByRole("listitem").filter({ hasText: issue.title });
    await entry.getByText("The program ended with exit code 3").waitFor();
    await entry.getByRole("link").click();
    await page.getByRole("button", { name: "Retry" }).click();
    const [again, failed] = await eventually(
      () => runsOf(issue.id),
      (runs) => runs.length === 2 && runs[0]!.finishedAt !== null,
    );
    expect(again).toMatchObject({ wakeReason: "run_retried", retryOfRunId: failed!.id });
    await admin.agents.terminate({ agentId: grace.id });
    expectClean();
    await close();
  });

  it("raises a budget that stopped an agent, and the agent works again", async () => {
    const { admin } = board.service;
    const name = unique("Hedy");
    const hedy = await agent(name, "exit 0", { budgetMonthlyCents: 1000 });
    await admin.costs.report({ companyId, agentId: hedy.id, provider: "p", model: "m", costCents: 1200 });
    expect((await admin.agents.get({ agentId: hedy.id })).pauseReason).toBe("budget");
    const issue = await admin.issues.create({ companyId, title: "Listen", assigneeAgentId: hedy.id });
    const { page, expectClean, close } = await board.signedIn("/inbox");
    const entry = page.getByRole("listitem").filter({ hasText: name });
    await entry.getByText("is used up").waitFor();
    expect(await runsOf(issue.id)).toEqual([]);
    await page.goto(`${board.service.url}/HAR/spend`);
    await page.getByRole("button", { name: `Edit the budget of ${name}` }).click();
    await page.getByLabel("Monthly budget (USD)").fill("50");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect(await admin.agents.get({ agentId: hedy.id })).toMatchObject({ pauseReason: null });
    await eventually(
      () => runsOf(issue.id),
      (runs) => runs.some(({ status }) => status === "succeeded"),
    );
    await page.goto(`${board.service.url}/inbox`);
    await page.getByRole("heading", { name: "Inbox" }).waitFor();
    await expect.poll(() => page.locator(".skeleton").count()).toBe(0);
    expect(await entry.filter({ hasText: "is used up" }).count()).toBe(0);
    expectClean();
    await close();
  });

  it("rotates a secret, and the next run sees the new value, which no log shows", async () => {
    const { admin } = board.service;
    const name = unique("Gauge key");
    const secret = await admin.secrets.create({ companyId, name, value: "the first value" });
    const mary = await agent(unique("Mary"), 'echo "key of $(printf %s "$KEY" | wc -c) letters: $KEY"');
    await admin.agents.update({
      agentId: mary.id,
      adapterConfig: {
        env: { KEY: { type: "secret_ref", secretId: secret.id, version: "latest" } },
      } as never,
    });
    const { page, expectClean, close } = await board.signedIn("/HAR/secrets");
    await page.getByRole("button", { name: `Change ${name}` }).click();
    await page.getByRole("menuitem", { name: "Rotate" }).click();
    await page
      .getByRole("dialog")
      .locator("textarea, input[type=password]")
      .first()
      .fill("a second, longer value");
    await page.getByRole("dialog").getByRole("button", { name: "Rotate" }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    const { id: runId } = await admin.agents.invoke({ agentId: mary.id } as never);
    await eventually(
      () => admin.runs.get({ runId: runId! }),
      ({ finishedAt }) => finishedAt !== null,
    );
    await page.goto(`${board.service.url}/HAR/runs/${runId}`);
    await page.getByText("key of 22 letters: ••••").waitFor();
    expect(await page.content()).not.toContain("a second, longer value");
    expectClean();
    await close();
  });

  it("keeps a plain value that looks like a secret as one, and the next run still gets it", async () => {
    const { admin } = board.service;
    // The secret gets the name of the variable.
    const variable = `CRANE_${crypto.randomUUID().slice(0, 6).toUpperCase()}_TOKEN`;
    const env = { [variable]: "plain-until-now", BERTH: "seven" };
    const { id } = await admin.agents.create({
      companyId,
      name: unique("Bea"),
      adapterType: "process",
      adapterConfig: { command: "sh", args: ["-c", `test "$${variable}" = plain-until-now`], env },
    });
    const { page, expectClean, expectAccessible, close } = await board.signedIn(
      `/HAR/agents/${id}?tab=configuration`,
    );
    const offers = page.getByRole("list", { name: "Values that look like secrets" });
    await offers.waitFor();
    expect(await offers.getByRole("listitem").count()).toBe(1);
    await expectAccessible();
    await offers.getByRole("button", { name: "Save as secret" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Save as secret" }).click();
    await offers.waitFor({ state: "detached" });
    await page.getByText(`${variable} is now a secret.`).waitFor();
    const stored = (await admin.secrets.list({ companyId })).find(({ name }) => name === variable);
    expect(stored).toMatchObject({ referenceCount: 1 });
    expect((await admin.agents.get({ agentId: id })).adapterConfig.env).toEqual({
      BERTH: "seven",
      [variable]: { type: "secret_ref", secretId: stored!.id, version: "latest" },
    });
    const { id: runId } = await admin.agents.invoke({ agentId: id });
    const run = await eventually(
      () => admin.runs.get({ runId: runId! }),
      ({ finishedAt }) => finishedAt !== null,
    );
    expect(run.status).toBe("succeeded");
    expectClean();
    await close();
  });

  it("reads what somebody else has changed in an issue meanwhile, and writes over nothing unread", async () => {
    const { admin } = board.service;
    const issue = await admin.issues.create({ companyId, title: "Paint the hull", description: "In blue." });
    const path = `/HAR/issues/${issue.identifier}`;
    const [one, other] = [await board.signedIn(path), await board.signedIn(path)];
    for (const { page } of [one, other])
      await page.getByRole("button", { name: "Edit", exact: true }).click();
    await one.page.getByLabel("Description").fill("In red.");
    await other.page.getByLabel("Description").fill("In green.");
    await one.page.getByRole("button", { name: "Save" }).click();
    await one.page.getByText("In red.").waitFor();
    await other.page.getByText("This issue was changed while you were editing").waitFor();
    expect(await other.page.getByRole("button", { name: "Save" }).isDisabled()).toBe(true);
    await other.page.getByRole("button", { name: "Keep mine" }).click();
    await other.page.getByRole("button", { name: "Save" }).click();
    await other.page.getByRole("dialog").waitFor({ state: "detached" });
    expect((await admin.issues.get({ issueId: issue.id })).description).toBe("In green.");
    for (const each of [one, other]) {
      each.expectClean();
      await each.close();
    }
  });

  it("changes several issues at once by keyboard, and reads which one could not be", async () => {
    const { admin } = board.service;
    const { id: projectId } = await admin.projects.create({ companyId, name: "Bulk" });
    for (const title of ["One", "Two", "Three"])
      await admin.issues.create({
        companyId,
        projectId,
        title,
        status: title === "Two" ? "in_review" : "todo",
      });
    const { page, expectClean, expectAccessible, close } = await board.signedIn(
      `/HAR/issues?sort=activity&project=${projectId}`,
    );
    await page.getByRole("link", { name: "Three" }).waitFor();
    await page.keyboard.press("j");
    await page.keyboard.press("x");
    await page.keyboard.press("j");
    await page.keyboard.press("j");
    await page.keyboard.press("Shift+X");
    await page.getByText("3 selected").waitFor();
    await expectAccessible();
    await page.getByRole("button", { name: "Change the status of the selected issues" }).click();
    await page.getByRole("menuitem", { name: "Backlog" }).click();
    await page.getByText("2 issues moved to Backlog").waitFor();
    await page.getByText("can't move from in_review to backlog").waitFor();
    expectClean();
    await close();
  });

  it("acts from the palette, and mentions an agent by keyboard", async () => {
    const { admin } = board.service;
    const called = `Vera${crypto.randomUUID().slice(0, 6)}`;
    const name = `${called} Rubin`;
    const vera = await agent(name, "exit 0");
    const issue = await admin.issues.create({ companyId, title: "Look at the stars" });
    const { page, expectClean, close } = await board.signedIn(`/HAR/issues/${issue.identifier}`);
    await page.getByRole("textbox", { name: "Comment" }).pressSequentially(`Look, @${called}`);
    await page.getByRole("option", { name }).waitFor();
    await page.keyboard.press("Enter");
    expect(await page.getByRole("textbox", { name: "Comment" }).inputValue()).toBe(`Look, @${name} `);
    await page.keyboard.press("Control+Enter");
    await eventually(
      () => runsOf(issue.id),
      ([run]) => run?.wakeReason === "issue_comment_mentioned",
    );
    await page.keyboard.press("Control+k");
    await page.keyboard.type(`pause ${called}`);
    await page.getByRole("option", { name: `Pause ${name}` }).waitFor();
    await page.keyboard.press("Enter");
    await page.getByText(`${name} paused`).waitFor();
    expect((await admin.agents.get({ agentId: vera.id })).pauseReason).toBe("manual");
    expectClean();
    await close();
  });

  it("who only views sees no button that would be refused", async () => {
    const { admin } = board.service;
    const { token } = await aPerson(board, companyId, "Vic", "viewer");
    const { page, at, expectClean, close } = await board.signedIn("/HAR/pulse", { token });
    const issue = await admin.issues.create({ companyId, title: "Seen only" });
    for (const path of [
      "pulse",
      "issues",
      `issues/${issue.identifier}`,
      "agents",
      "routines",
      "runs",
      "spend",
      "secrets",
    ]) {
      await page.goto(at(`/HAR/${path}`));
      await page.locator("h1").waitFor();
      await expect.poll(() => page.locator(".skeleton").count()).toBe(0);
      const offered = await page
        .locator("main button, main input[type=checkbox]")
        .evaluateAll((all) =>
          (all as { textContent: string | null; getAttribute(name: string): string | null }[]).map(
            (each) => each.getAttribute("aria-label") ?? each.textContent ?? "",
          ),
        );
      expect(
        offered.filter((name) =>
          /^(new|hire|edit|change|pause|wake|resume|retry|run|cancel|create|delete|add|attach|comment|choose|select|move|keep|approve|rotate)\b/i.test(
            name,
          ),
        ),
        path,
      ).toEqual([]);
    }
    expectClean();
    await close();
  });

  it("gives the issue of a terminated agent to another from the inbox", async () => {
    const { admin } = board.service;
    const [gone, next] = [await agent(unique("Ruth"), "exit 0"), await agent(unique("Mae"), "exit 0")];
    const issue = await admin.issues.create({
      companyId,
      title: unique("Survey the pier"),
      assigneeAgentId: gone.id,
      status: "backlog",
    });
    await admin.agents.terminate({ agentId: gone.id });
    const { page, expectClean, close } = await board.signedIn("/inbox");
    const entry = page.getByRole("listitem").filter({ hasText: issue.title });
    await entry.getByRole("link").click();
    await page.getByRole("button", { name: "Assign" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Assignee").selectOption({ label: next.name });
    await dialog.getByRole("button", { name: "Assign" }).click();
    await entry.waitFor({ state: "detached" });
    expect((await admin.issues.get({ issueId: issue.id })).assigneeAgentId).toBe(next.id);
    expectClean();
    await close();
  });
});
