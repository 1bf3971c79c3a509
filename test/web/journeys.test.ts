import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { dutifulAgent, nodeAgent } from "../support/agent-programs.ts";
import { type Board, startBoard } from "./board.ts";
import { chromiumPath } from "./chromium.ts";

describe.skipIf(chromiumPath === null)("On the board page, with running agents", () => {
  let board: Board;
  beforeAll(async () => {
    board = await startBoard({ role: "all" });
  });
  afterAll(() => board?.stop());

  it("a new user creates a company, hires an agent and sees it finish its first issue", async () => {
    const { page, expectClean, expectAccessible, close } = await board.signedIn("/");
    await page.getByLabel("Company name").fill("Harbour Works");
    await expectAccessible();
    await page.getByText("A company is a team of agents").waitFor();
    await page.getByRole("button", { name: "Create company" }).click();
    await page.getByText("An agent is a program").waitFor();
    await page.reload();
    await page.getByRole("button", { name: "Test and hire" }).click();
    await page.getByText("Issues are tasks.").waitFor();
    await page.reload();
    await page.getByRole("button", { name: /^Assign to Ada/ }).click();
    await page.waitForURL(/\/HAR\/issues\/HAR-1$/);
    await expect.poll(() => page.getByText("that is all this sample can do").count()).toBe(1);
    await expect.poll(() => page.locator(".issue-facts").getByText("Done").count()).toBeGreaterThan(0);
    expectClean();
    await close();
  });

  it("a new company begins with a template, and works from its first issue on", async () => {
    const { admin } = board.service;
    await admin.adapters.install({ localPath: join(import.meta.dirname, "../../plugins/echo") });
    const { page, expectClean, expectAccessible, close } = await board.signedIn("/new");
    await page.getByLabel("Start from").selectOption({ label: "Software team" });
    await page.getByLabel("Company name").fill("Lighthouse Works");
    await page.getByRole("list", { name: "Its agents" }).getByText("Reviewer").waitFor();
    await expectAccessible();
    await page.getByRole("button", { name: "Create company with 4 agents" }).click();
    // Its runtime isn't on this machine: that is known before the first issue is handed out.
    await page
      .getByText(/"claude" was not found/)
      .first()
      .waitFor();
    await page.getByText(/^The program wasn't started\. Fix this first: /).waitFor();
    const assign = page.getByRole("button", { name: /^Assign to Lead/ });
    await assign.click();
    const asked = page.getByRole("dialog", { name: "Assign to Lead anyway?" });
    await asked.getByText(/"claude" was not found/).waitFor();
    await expectAccessible();
    await asked.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("button", { name: "Test other runtimes" }).click();
    const tested = page.getByRole("list", { name: "Tested runtimes" });
    await tested.getByText(/"codex" was not found/).waitFor();
    await tested.getByRole("button", { name: "Use Echo" }).click();
    await page.getByText("4 agents run on Echo").waitFor();
    await page.getByText("The configuration can be used.").waitFor();
    await assign.click();
    await page.waitForURL(/\/LIG\/issues\/LIG-1$/);
    const [company] = (await admin.companies.list()).filter(({ name }) => name === "Lighthouse Works");
    expect(company?.status).toBe("active");
    const agents = await admin.agents.list({ companyId: company!.id });
    expect(new Set(agents.map(({ adapterType }) => adapterType))).toEqual(new Set(["echo"]));
    expectClean();
    await close();
  });

  it("an approval goes from the inbox to a hired agent, and leaves every inbox at once", async () => {
    const { admin } = board.service;
    const company = await admin.companies.create({ name: "Dry Dock" });
    await admin.approvals.hire({ companyId: company.id, name: "Bob", role: "engineer" });
    const first = await board.signedIn("/inbox");
    const second = await board.signedIn("/inbox");
    for (const { page } of [first, second]) await page.getByRole("link", { name: "Bob" }).waitFor();
    await first.expectAccessible();
    await first.page.getByRole("link", { name: "Bob" }).click();
    await first.page.getByRole("button", { name: "Approve" }).click();
    // Somebody else still sees it, until the time in which it can be undone is over.
    await expect.poll(() => first.page.getByRole("link", { name: "Bob" }).count()).toBe(0);
    await expect.poll(() => second.page.getByRole("link", { name: "Bob" }).count()).toBe(0);
    const agents = await admin.agents.list({ companyId: company.id });
    expect(agents).toMatchObject([{ name: "Bob", status: "idle" }]);
    first.expectClean();
    second.expectClean();
    await first.close();
    await second.close();
  });

  it("an approval is read, and sent back with a note that its history shows", async () => {
    const { admin } = board.service;
    const company = await admin.companies.create({ name: "Rope Walk" });
    const { approval } = await admin.approvals.hire({
      companyId: company.id,
      name: "Carol",
      role: "engineer",
      capabilities: "Splices rope.",
    });
    const { page, expectClean, expectAccessible, close } = await board.signedIn(
      `/${company.issuePrefix}/approvals/${approval.id}`,
    );
    await page.getByText("Splices rope.").waitFor();
    await expectAccessible();
    await page.getByLabel("Note").fill("Say what it costs.");
    await page.getByRole("button", { name: "Request changes" }).click();
    await page.getByText("Changes requested: Carol").first().waitFor();
    await page.getByText("Changes requested", { exact: true }).waitFor();
    expect((await admin.approvals.get({ approvalId: approval.id })).decisionNote).toBe("Say what it costs.");
    expectClean();
    await close();
  });

  it("a failed run is followed to its cause, and run again", async () => {
    const { admin } = board.service;
    const company = await admin.companies.create({ name: "Sail Loft" });
    const agent = await admin.agents.create({
      companyId: company.id,
      name: "Dan",
      adapterType: "process",
      adapterConfig: nodeAgent(
        `console.log("cutting the canvas"); console.error("the needle broke"); process.exit(3);`,
      ) as never,
    });
    await admin.agents.invoke({ agentId: agent.id });
    const { page, at, expectClean, expectAccessible, close } = await board.signedIn("/inbox");
    const entry = page.getByRole("listitem").filter({ hasText: "Sail Loft" });
    await entry.getByText(/exit code 3/).waitFor();
    await entry.getByRole("link", { name: "Dan" }).click();
    await page.getByRole("region", { name: "Dan" }).getByRole("link", { name: "Open" }).click();
    await page.getByText("cutting the canvas").waitFor();
    await page.getByText("the needle broke", { exact: true }).waitFor();
    await expectAccessible();
    await admin.agents.update({ agentId: agent.id, adapterConfig: dutifulAgent as never });
    await page.getByRole("button", { name: "Retry" }).click();
    // A request is lost with its page.
    await page.getByText("Dan woken").waitFor();
    await page.goto(at(`/${company.issuePrefix}/runs`));
    await expect.poll(() => page.getByRole("row").count()).toBe(3);
    expectClean();
    await close();
  });
});

/** Texts that contain markup, script, links and requests. */
const hostile = [
  `<img src=x onerror="window.broken=1"><script>window.broken=1</script>`,
  `[click](javascript:window.broken=1) ![seen](https://example.com/pixel.png) <svg onload=window.broken=1>`,
  `"><iframe srcdoc="<script>parent.broken=1</script>"></iframe>{{constructor.constructor('window.broken=1')()}}`,
  `</textarea></style><style>*{display:none}</style>\u202egnp.exe`,
];

describe.skipIf(chromiumPath === null)("Text of others", () => {
  let board: Board;
  beforeAll(async () => {
    board = await startBoard();
  });
  afterAll(() => board?.stop());

  it("is plain text on every screen: it runs nothing, loads nothing and stays in place", async () => {
    const { admin } = board.service;
    const [one = "", two = "", three = "", four = ""] = hostile;
    const company = await admin.companies.create({ name: one, description: two });
    const companyId = company.id;
    const agent = await admin.agents.create({
      companyId,
      name: one.slice(0, 60),
      title: three,
      capabilities: four,
      adapterType: "process",
      adapterConfig: { command: "true" },
    });
    const issue = await admin.issues.create({ companyId, title: one, description: hostile.join("\n\n") });
    for (const body of hostile) await admin.issues.comment({ issueId: issue.id, body });
    await admin.documents.put({ issueId: issue.id, key: "plan", title: two, body: hostile.join("\n\n") });
    await admin.interactions.create({
      issueId: issue.id,
      kind: "request_confirmation",
      title: three,
      payload: { version: 1, prompt: one, detailsMarkdown: two, acceptLabel: three.slice(0, 60) },
    });
    const { approval } = await admin.approvals.hire({
      companyId,
      name: two,
      role: "engineer",
      capabilities: one,
    });
    await admin.projects.create({ companyId, name: three, description: one });
    await admin.labels.create({ companyId, name: "<b>bold</b>" });
    const here = `/${company.issuePrefix}`;
    const { page, at, expectClean, close } = await board.signedIn("/inbox");
    for (const path of [
      "/inbox",
      ...[
        "pulse",
        "issues",
        "agents",
        "runs",
        "routines",
        "org",
        "spend",
        "activity",
        "secrets",
        "settings",
      ].map((name) => `${here}/${name}`),
      `${here}/issues/${issue.identifier}`,
      `${here}/agents/${agent.id}`,
      `${here}/approvals/${approval.id}`,
    ]) {
      await page.goto(at(path));
      await page.locator("h1").waitFor();
      await expect.poll(() => page.locator(".skeleton").count()).toBe(0);
      expect(
        await page.evaluate(() => (globalThis as unknown as { broken?: number }).broken),
      ).toBeUndefined();
      expect(await page.locator("iframe, main script, main style, a[href^='javascript:']").count()).toBe(0);
      expect(await page.locator("main").isVisible()).toBe(true);
    }
    expectClean();
    await close();
  });
});
