import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { aCompany, type Board, startBoardWithAgent } from "./board.ts";
import { chromiumPath } from "./chromium.ts";

describe.skipIf(chromiumPath === null)("On the board page, an operator", () => {
  let board: Board;
  let companyId: string;
  let agentId: string;
  const fields = { adapterType: "adapter_a_local", adapterConfig: {} };
  beforeAll(async () => {
    ({ board, companyId, agentId } = await startBoardWithAgent(fields));
  });
  afterAll(() => board?.stop());

  it("edits and deletes a comment", async () => {
    const { admin } = board.service;
    const { id: issueId, identifier } = await admin.issues.create({ companyId, title: "Mend the crane" });
    await admin.issues.comment({ issueId, body: "Tommorow." });
    const { page, expectClean, expectAccessible, close } = await board.signedIn(`/HAR/issues/${identifier}`);
    await page.getByRole("button", { name: "Actions on the comment by board" }).click();
    await page.getByRole("menuitem", { name: "Edit" }).click();
    await page.getByRole("form", { name: "Edit the comment" }).getByLabel("Comment").fill("Tomorrow.");
    await expectAccessible();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Tomorrow.").waitFor();
    await page.getByText("edited").waitFor();
    await page.getByRole("button", { name: "Actions on the comment by board" }).click();
    await page.getByRole("menuitem", { name: "Delete" }).click();
    await page.getByRole("button", { name: "Delete", exact: true }).click();
    await page.getByText("deleted").waitFor();
    expect(await page.getByText("Tomorrow.").count()).toBe(0);
    expectClean();
    await close();
  });

  it("makes and revokes a key of an agent, and sets its skills", async () => {
    const folder = join(board.service.dataDir, "skills", "knots");
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, "SKILL.md"), "---\nname: knots\ndescription: Ties knots.\n---\nTie.\n");
    const { agentId, prefix } = await aCompany(board, "Ropery", fields);
    const { page, expectClean, expectAccessible, close } = await board.signedIn(
      `/${prefix}/agents/${agentId}`,
    );
    await page.getByRole("tab", { name: "Access" }).click();
    await page.getByLabel("Name of a new key").fill("nightly");
    await page.getByRole("button", { name: "Create key" }).click();
    await page.getByText(/^agt_/).waitFor();
    await page.getByRole("button", { name: "Done" }).click();
    await page.getByText("nightly · never used").waitFor();
    await page.getByRole("button", { name: "Revoke the key nightly" }).click();
    await page.getByRole("button", { name: "Revoke", exact: true }).click();
    await expect.poll(() => page.getByText("nightly").count()).toBe(0);
    await page.getByRole("tab", { name: "Configuration" }).click();
    const skill = page.getByRole("checkbox", { name: "knots" });
    await skill.click();
    await expect.poll(() => skill.isChecked()).toBe(true);
    await page.getByText("From the next run").first().waitFor();
    expect((await board.service.admin.agents.skills({ agentId })).desiredSkills).toContain("knots");
    await expectAccessible();
    expectClean();
    await close();
  });

  it("sets a goal and one that serves it, reads how far they are, changes and archives them", async () => {
    const { admin } = board.service;
    const { companyId, prefix } = await aCompany(board, "Ice Works");
    const { page, at, expectClean, expectAccessible, close } = await board.signedIn(`/${prefix}/goals`);
    await page.getByRole("button", { name: "New goal" }).click();
    const dialog = page.getByRole("dialog", { name: "New goal" });
    await dialog.getByLabel("Title").fill("Open before spring");
    await dialog.getByLabel("Description").fill("The ice goes in **March**.");
    await dialog.getByLabel("Level").selectOption({ label: "Company" });
    await dialog.getByRole("button", { name: "Create goal" }).click();
    await page.getByText("The ice goes in March.").waitFor();
    const [goal] = (await admin.goals.list({ companyId })).items;
    expect(goal).toMatchObject({
      level: "company",
      status: "planned",
      description: "The ice goes in **March**.",
    });
    await admin.goals.create({ companyId, title: "Cranes tested", parentId: goal!.id });
    for (const title of ["Test crane 1", "Test crane 2", "Test crane 3"])
      await admin.issues.create({ companyId, title, goalId: goal!.id });
    const [first, second] = (await admin.issues.list({ companyId, goalId: goal!.id })).items;
    await admin.issues.update({ issueId: first!.id, status: "done" });
    await admin.issues.update({ issueId: second!.id, status: "cancelled" });
    await page.getByText("1 of 2 done").waitFor();
    await page.getByRole("region", { name: "Sub-goals" }).getByText("Cranes tested").waitFor();
    await page.getByRole("button", { name: "Edit" }).click();
    await page.getByRole("dialog").getByLabel("Status").selectOption({ label: "Active" });
    await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
    await expect.poll(async () => (await admin.goals.get({ goalId: goal!.id })).status).toBe("active");
    await expectAccessible();
    await page.getByRole("link", { name: "View all issues" }).click();
    await page.getByText("3 issues").waitFor();
    await page.goto(at(`/${prefix}/goals`));
    await page.getByRole("progressbar", { name: "Progress of Open before spring" }).waitFor();
    await expectAccessible();
    await page.getByRole("link", { name: "Open before spring" }).click();
    await page.getByRole("button", { name: "Archive" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Archive", exact: true }).click();
    // The goal that served it stands by itself now.
    await page.getByRole("link", { name: "Cranes tested" }).waitFor();
    await expect.poll(() => page.getByRole("link", { name: "Open before spring" }).count()).toBe(0);
    expectClean();
    await close();
  });

  it("begins a project with a lead and a day, reads how far it is, and sets its budget there", async () => {
    const { admin } = board.service;
    const { companyId, prefix } = await aCompany(board, "Quay Works");
    const { page, expectClean, expectAccessible, close } = await board.signedIn(`/${prefix}/projects`);
    await page.getByRole("button", { name: "New project" }).click();
    const dialog = page.getByRole("dialog", { name: "New project" });
    await dialog.getByLabel("Name").fill("Quay wall");
    await dialog.getByLabel("Target date").fill("2027-01-31");
    await dialog.getByRole("button", { name: "Create project" }).click();
    await page.getByText("31 Jan 2027").waitFor();
    const project = (await admin.projects.list({ companyId })).items.find(
      ({ name }) => name === "Quay wall",
    )!;
    expect(project.targetDate).toBe("2027-01-31");
    for (const name of ["urgent", "wall"]) await admin.labels.create({ companyId, name });
    await page.getByRole("button", { name: "New issue" }).click();
    const making = page.getByRole("dialog");
    await making.getByLabel("Title").fill("Measure the wall");
    for (const name of ["urgent", "wall", "urgent"]) {
      await making.getByRole("button", { name: /^Labels/ }).click();
      await making.getByRole("menuitemradio", { name }).click();
    }
    await expectAccessible();
    await making.getByRole("button", { name: "Create issue" }).click();
    await page.getByRole("link", { name: /Measure the wall/ }).waitFor();
    const [made] = (await admin.issues.list({ companyId, projectId: project.id })).items;
    expect(made?.labels?.map(({ name }) => name)).toEqual(["wall"]);
    await page.getByText("0 of 1 done").waitFor();
    await page.getByRole("button", { name: "Edit the budget of Quay wall" }).click();
    await page.getByLabel("Monthly budget (USD)").fill("12");
    await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
    await page.getByText("$12.00").waitFor();
    await page.getByRole("button", { name: "Edit", exact: true }).click();
    await page.getByRole("dialog").getByLabel("Description").fill("Ninety metres.");
    await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
    await page.getByText("Ninety metres.").waitFor();
    await expectAccessible();
    expectClean();
    await close();
  });

  it("sees when a schedule would fire while it is typed, and why it would not", async () => {
    const { admin } = board.service;
    const { id: projectId } = await admin.projects.create({ companyId, name: "Harbour" });
    const routine = await admin.routines.create({
      companyId,
      projectId,
      title: "Round",
      assigneeAgentId: agentId,
    });
    const { page, expectClean, close } = await board.signedIn(`/HAR/routines/${routine.id}`);
    await page.getByRole("button", { name: "A trigger:" }).click();
    await page.getByRole("menuitem", { name: "Schedule" }).click();
    await page.getByLabel("Time zone").fill("UTC");
    await page.getByLabel("Cron expression").fill("0 9 * * mon-fr");
    await page.getByRole("dialog").getByRole("alert").waitFor();
    await page.getByLabel("Cron expression").fill("0 9 * * mon-fri");
    await page.getByText("Next runs").waitFor();
    expect(await page.getByRole("dialog").getByRole("listitem").count()).toBe(5);
    expect((await admin.routines.get({ routineId: routine.id })).triggers).toEqual([]);
    expectClean({ refusals: [400, 422] });
    await close();
  });

  it("comments on an approval, and renames a vault", async () => {
    const { admin } = board.service;
    const { companyId, prefix } = await aCompany(board, "Vault Works");
    const { approval } = await admin.approvals.hire({ companyId, name: "Bob", role: "engineer" });
    await admin.vaults.create({ companyId, provider: "local_encrypted", displayName: "Harbour" });
    const { page, at, expectClean, expectAccessible, close } = await board.signedIn(
      `/${prefix}/approvals/${approval.id}`,
    );
    await page.getByLabel("Comment on the approval").fill("Who will train him?");
    await page.getByRole("button", { name: "Comment", exact: true }).click();
    await page.getByText("Who will train him?").waitFor();
    await expectAccessible();
    await page.goto(at(`/${prefix}/secrets`));
    await page.getByRole("button", { name: "Change Harbour" }).click();
    await page.getByRole("menuitem", { name: "Rename" }).click();
    await page.getByRole("textbox", { name: "Name" }).fill("Lighthouse");
    await page.getByRole("button", { name: "Rename", exact: true }).click();
    await page.getByText("Lighthouse").first().waitFor();
    expectClean();
    await close();
  });

  it("opens the held agents from the pulse, and finds in the activity who did what", async () => {
    const { admin } = board.service;
    const { companyId, prefix } = await aCompany(board, "Radio Works");
    const { id: heldId } = await admin.agents.create({ companyId, name: "Hedy", ...fields });
    await admin.agents.pause({ agentId: heldId });
    const { page, at, expectClean, expectAccessible, close } = await board.signedIn(`/${prefix}/pulse`);
    await page.locator("dt", { hasText: "Paused agents" }).locator("xpath=..").getByRole("link").click();
    const agents = page.getByRole("table", { name: "Agents" });
    await agents.getByText("Hedy").waitFor();
    expect(await agents.getByText("Ada").count()).toBe(0);
    const { id: managerId } = await admin.agents.create({ companyId, name: "Grace", ...fields });
    await admin.agents.update({ agentId: heldId, reportsTo: managerId });
    await page.goto(at(`/${prefix}/agents?group=manager`));
    await page.getByRole("table", { name: "Agents that report to Grace" }).getByText("Hedy").waitFor();
    await page.getByRole("table", { name: "Agents that report to The board" }).getByText("Ada").waitFor();
    await page.goto(at(`/${prefix}/activity?about=agent`));
    await page.getByRole("searchbox", { name: "Find in activity" }).fill("hedy");
    await page.waitForURL(/q=hedy/);
    const entries = page.getByRole("list", { name: "Activity log" }).getByRole("listitem");
    await expect.poll(() => entries.allTextContents()).toEqual([expect.stringContaining("hired Hedy")]);
    await expectAccessible();
    await admin.agents.update({ agentId: heldId, title: "=Head of works", budgetMonthlyCents: 700 });
    await page.goto(at(`/${prefix}/activity?about=agent`));
    await page.getByText("title: none → =Head of works").waitFor();
    const saved = async (format: string) => {
      await page.getByRole("button", { name: /^Export/ }).click();
      const began = page.waitForEvent("download");
      await page.getByRole("menuitem", { name: format }).click();
      const file = await began;
      return { name: file.suggestedFilename(), text: await readFile((await file.path())!, "utf8") };
    };
    const lines = (await saved("Download NDJSON")).text.trimEnd().split("\n");
    const { items } = await admin.activity.list({ companyId, entityType: "agent", limit: 500 });
    expect(lines.map((line) => JSON.parse(line))).toEqual(items);
    const csv = await saved("Download CSV");
    expect(csv.name).toMatch(new RegExp(`^activity-${prefix}-.*\\.csv$`));
    expect(csv.text.trimEnd().split("\r\n")).toHaveLength(items.length + 1);
    expect(csv.text).toMatch(/^createdAt,actorType,actorName,/);
    await page.goto(at(`/${prefix}/activity?actor=${heldId}`));
    await page.getByText("No matching activity").waitFor();
    expectClean();
    await close();
  });

  it("reads in the activity to which routine, project, agent and sum an entry belongs", async () => {
    const { admin } = board.service;
    const company = await admin.companies.create({ name: "Log House" });
    const named = { companyId: company.id, name: "Ada", adapterType: "process" };
    const { id: assigneeAgentId } = await admin.agents.create(named);
    await admin.agents.createKey({ agentId: assigneeAgentId, name: "nightly" });
    const { id: projectId } = await admin.projects.create({ companyId: company.id, name: "Slips" });
    const { id: routineId } = await admin.routines.create({
      companyId: company.id,
      title: "Walk the slips",
      assigneeAgentId,
      projectId,
    });
    await admin.routines.run({ routineId });
    await admin.projects.archive({ projectId });
    const cost = { companyId: company.id, agentId: assigneeAgentId, provider: "anthropic", model: "opus" };
    await admin.costs.report({ ...cost, inputTokens: 9, costCents: 310 });
    const { page, expectClean, close } = await board.signedIn(`/${company.issuePrefix}/activity`);
    const entries = page.getByRole("list", { name: "Activity log" }).getByRole("listitem");
    const sentences = async () => (await entries.locator(".activity-text").allInnerTexts()).join("\n");
    await expect.poll(sentences).toContain("ran the routine Walk the slips manual");
    expect(await sentences()).toContain("created an API key for Ada nightly");
    expect(await sentences()).toContain("archived the project Slips");
    expect(await sentences()).toMatch(/reported usage: \$3\.10 opus/);
    await page.getByRole("link", { name: "Walk the slips" }).first().click();
    await page.waitForURL(`**/routines/${routineId}`);
    expectClean();
    await close();
  });

  it("reads the history of an issue, and links an approval to it and back", async () => {
    const { admin } = board.service;
    const { companyId, prefix } = await aCompany(board, "Crane Works");
    const { id: issueId, identifier } = await admin.issues.create({ companyId, title: "Buy a crane" });
    await admin.issues.update({ issueId, status: "todo" });
    const { approval } = await admin.approvals.hire({ companyId, name: "Crane driver", role: "engineer" });
    const { page, expectClean, expectAccessible, close } = await board.signedIn(
      `/${prefix}/issues/${identifier}`,
    );
    await page.getByText("History", { exact: true }).click();
    const history = page.getByRole("list", { name: "History of the issue" });
    await history.getByText("Backlog → To do").waitFor();
    await page.getByRole("button", { name: "Link an approval" }).click();
    const dialog = page.getByRole("dialog", { name: "Link an approval" });
    await dialog.getByRole("combobox", { name: "Approval" }).fill("Crane");
    await dialog.getByRole("option", { name: "Crane driver" }).waitFor();
    await page.keyboard.press("Enter");
    await expectAccessible();
    await dialog.getByRole("button", { name: "Link", exact: true }).click();
    const linked = page
      .getByRole("complementary", { name: "Facts" })
      .getByRole("link", { name: "Crane driver" });
    await linked.waitFor();
    expect((await admin.approvals.issues({ approvalId: approval.id })).map(({ id }) => id)).toEqual([
      issueId,
    ]);
    // An event is in the history at once.
    await history.getByText("moved this issue").first().waitFor();
    await expectAccessible();
    await page.getByRole("button", { name: "Unlink Crane driver" }).click();
    await page.getByText("Crane driver unlinked").waitFor();
    expect(await admin.approvals.issues({ approvalId: approval.id })).toEqual([]);
    await page.getByRole("button", { name: "Undo" }).click();
    await linked.waitFor();
    expectClean();
    await close();
  });

  it("hires an agent with a model that its adapter offers, or the one that its program is set to", async () => {
    const { companyId, prefix } = await aCompany(board, "Model Works");
    const { page, expectClean, expectAccessible, close } = await board.signedIn(`/${prefix}/agents?new`);
    const dialog = page.getByRole("dialog", { name: "Hire an agent" });
    await dialog.getByLabel("Adapter").selectOption("adapter_a_local");
    const model = dialog.getByRole("combobox", { name: "Model" });
    await model.waitFor();
    const offered = await board.service.admin.adapters.models({ companyId, adapterType: "adapter_a_local" });
    await expect.poll(() => dialog.locator("datalist option").count()).toBe(offered.length);
    await dialog.getByRole("button", { name: "Detect" }).click();
    await dialog.getByText(/^Found in |^No model configured/).waitFor();
    await expectAccessible();
    await dialog.getByLabel("Name", { exact: true }).fill("Nell");
    await model.fill("claude-opus-4-5");
    await dialog.getByRole("button", { name: "Hire agent" }).click();
    await page.getByText("Nell hired").waitFor();
    const agents = await board.service.admin.agents.list({ companyId });
    expect(agents.find(({ name }) => name === "Nell")?.adapterConfig).toMatchObject({
      model: "claude-opus-4-5",
    });
    expectClean();
    await close();
  });

  it("narrows runs to an issue and an error, and sees their lengths", async () => {
    const { admin } = board.service;
    const { identifier } = await admin.issues.create({ companyId, title: "Sound the horn" });
    const { page, at, expectClean, expectAccessible, close } = await board.signedIn(
      "/HAR/runs?error=no_such_error",
    );
    await page.getByText("No runs match your filters").waitFor();
    await page.getByRole("button", { name: /^Filter by error/ }).click();
    await page.getByRole("menuitemradio", { name: "Any error" }).click();
    const issue = page.getByRole("combobox", { name: "Filter by issue" });
    await issue.fill("sound horn");
    await page.getByRole("option", { name: `${identifier} Sound the horn` }).waitFor();
    await page.keyboard.press("Enter");
    await expect.poll(() => page.url()).toBe(at(`/HAR/runs?issue=${identifier}`));
    await page.getByText("No runs match your filters").waitFor();
    await expectAccessible();
    await page.reload();
    await expect.poll(() => issue.inputValue()).toBe(`${identifier} Sound the horn`);
    await page.getByRole("link", { name: "Clear filters" }).click();
    await expect.poll(() => page.url()).toBe(at("/HAR/runs"));
    await expect.poll(() => issue.inputValue()).toBe("");
    expectClean();
    await close();
  });

  it("sees the single events behind a sum, by agent and day", async () => {
    const { admin } = board.service;
    const { companyId, prefix, agentId } = await aCompany(board, "Anchor Works");
    const { identifier, id: issueId } = await admin.issues.create({ companyId, title: "Weigh the anchor" });
    const used = { companyId, agentId, provider: "local", model: "qwen", inputTokens: 9, issueId };
    const report = (costCents: number | undefined) => admin.costs.report({ ...used, costCents });
    await report(150);
    await report(undefined);
    const { page, expectClean, expectAccessible, close } = await board.signedIn(`/${prefix}/spend`);
    await page.getByRole("table", { name: "Costs by agent" }).getByRole("link", { name: "$1.50" }).click();
    await page.getByRole("heading", { name: "Cost events" }).waitFor();
    const events = page.getByRole("table", { name: "Cost events" });
    await events
      .getByRole("link", { name: `${identifier} Weigh the anchor` })
      .first()
      .waitFor();
    expect(await events.getByRole("row").count()).toBe(3);
    // Use without a known price is no zero.
    await events.getByText("unknown").waitFor();
    await expectAccessible();
    await page.goBack();
    await page.getByRole("table", { name: "Costs by day" }).getByRole("link").first().click();
    await events.getByText("unknown").waitFor();
    expectClean();
    await close();
  });

  it("checks a runner, and sees how the providers of secrets are set up", async () => {
    const { page, at, expectClean, expectAccessible, close } = await board.signedIn("/instance");
    await page.getByRole("button", { name: "Check local" }).click();
    const { checks } = await board.service.admin.runners.check({ runnerName: "local" });
    for (const { message } of checks) await page.locator(".check-list").getByText(message).waitFor();
    await expectAccessible();
    await page.goto(at("/HAR/secrets"));
    const { providers } = await board.service.admin.secrets.providersHealth({ companyId });
    for (const { message } of providers) await page.getByText(message).first().waitFor();
    await page.getByText("What to back up").first().click();
    await page.getByText(providers[0]!.backupGuidance[0]!).waitFor();
    await expectAccessible();
    expectClean();
    await close();
  });
});
