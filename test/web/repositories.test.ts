import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { GitHost } from "../support/git-host.ts";
import { aTree } from "../support/one-of-each.ts";
import { aPerson, type Board, startBoardWithGitHost } from "./board.ts";
import { chromiumPath } from "./chromium.ts";

describe.skipIf(chromiumPath === null)("On the board page, an operator", () => {
  let board: Board;
  let host: GitHost;
  let stop: () => Promise<void>;
  beforeAll(async () => {
    ({ board, host, stop } = await startBoardWithGitHost());
  });
  afterAll(() => stop?.());

  it("adds a repository to a project, sees what is wrong with its host, checks it again and removes it", async () => {
    const { admin } = board.service;
    const { id: companyId, issuePrefix: prefix } = await admin.companies.create({ name: "Harbour Works" });
    const { id: projectId } = await admin.projects.create({ companyId, name: "Crane" });
    await admin.secrets.create({ companyId, name: "Git host", value: host.token! });
    const { page, at, expectAccessible, close } = await board.signedIn(`/${prefix}/projects/${projectId}`);
    await page.getByRole("button", { name: "Add a repository" }).click();
    const form = page.getByRole("form", { name: "Add a repository" });
    await form.getByLabel("Address").fill(host.url);
    await form.getByLabel("Allow this machine").check();
    await form.getByRole("button", { name: "Add", exact: true }).click();
    await form.getByText("asks for a credential (401)").waitFor();
    await expectAccessible();
    await form.getByLabel("Access token").selectOption({ label: "Git host" });
    await form.getByRole("button", { name: "Add", exact: true }).click();
    await page.getByRole("list", { name: "Repositories of Crane" }).getByText(host.url).waitFor();
    expect(await admin.repositories.list({ projectId })).toMatchObject([{ url: host.url, problem: null }]);
    await page.getByRole("button", { name: "Check" }).click();
    await page.getByText("Connected. The branch exists.").first().waitFor();
    await page.getByRole("button", { name: "Set up" }).click();
    await page.getByLabel("Setup command").fill("npm ci");
    await page.getByLabel("Folders to check out").fill("apps/site\napps/api");
    await page.getByLabel("Commit author").fill("{agent} (Boardroom)");
    await page.getByLabel("Author email").fill("agents+{agentKey}@example.com");
    await page.getByLabel("Pull requests").selectOption({ label: "GitLab" });
    await page.getByLabel("Branch name").fill("agents/{identifier}");
    await page.getByLabel("API URL").fill("https://git.example.com/api/v4");
    await page.getByLabel("Webhook secret").selectOption({ label: "Git host" });
    await expectAccessible();
    const sent = page.waitForRequest((request) => request.method() === "PATCH");
    await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
    expect((await sent).postDataJSON()).toMatchObject({
      hostKind: "gitlab",
      hostApiUrl: "https://git.example.com/api/v4",
      webhookSecretId: expect.any(String),
      branchPattern: "agents/{identifier}",
    });
    // The host has no such interface.
    await page.getByRole("dialog").getByRole("alert").waitFor();
    await page.getByLabel("Pull requests").selectOption({ label: "Don't open pull requests" });
    await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect(await admin.repositories.list({ projectId })).toMatchObject([
      {
        setupCommand: "npm ci",
        runCommand: null,
        sparseFolders: ["apps/api", "apps/site"],
        authorName: "{agent} (Boardroom)",
        authorEmail: "agents+{agentKey}@example.com",
        hostKind: null,
        branchPattern: null,
      },
    ]);
    await page.getByRole("button", { name: `Remove ${host.url}` }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Remove", exact: true }).click();
    await page.getByText("No repositories yet").waitFor();
    await page.goto(at(`/${prefix}/settings`));
    await page.getByLabel("Runner").selectOption("local");
    await page.getByRole("form", { name: "Company" }).getByRole("button", { name: "Save" }).click();
    await page.getByText("Company saved").waitFor();
    expect((await admin.companies.get({ companyId })).runner).toBe("local");
    await close();
  });

  it("may remove a workspace, have gates run again and change those of an issue, which a viewer may not", async () => {
    const { admin, databaseUrl } = board.service;
    const { id: companyId, issuePrefix: prefix } = await admin.companies.create({ name: "Quay Works" });
    const { id: projectId } = await admin.projects.create({ companyId, name: "Pier" });
    const { id: issueId } = await admin.issues.create({ companyId, title: "Drive the piles", projectId });
    const { token } = await aPerson(board, companyId, "Val", "viewer");
    const sql = postgres(databaseUrl, { max: 1 });
    const id = await aTree({ sql }, companyId, issueId);
    await sql`update issue_workspaces set volume = (select volume from services limit 1), made_at = now() where id = ${id}`;
    await sql`
      insert into repositories (id, company_id, project_id, url, default_branch, mode, checked_at, created_at, updated_at)
      values (${crypto.randomUUID()}, ${companyId}, ${projectId}, 'https://host.example/pier', 'main', 'issue', now(), now(), now())
    `;
    const gate = { name: "tests", kind: "command", command: "make test", timeoutSec: 60 } as const;
    await admin.projects.setGates({ projectId, gates: [gate] });
    await sql`
      insert into gate_checks (issue_id, company_id, gate, command, commits, state, problem, log, duration_ms, wakes, lease_until, started_at, finished_at)
      values (${issueId}, ${companyId}, 'tests', 'make test', '{}', 'failed', 'It failed.', '', 1, 0, now(), now(), now())
    `;
    await sql.end();
    const list = "Workspaces of Pier";
    const viewer = await board.signedIn(`/${prefix}/projects/${projectId}`, { token });
    await viewer.page.getByRole("list", { name: list }).getByText("kept").waitFor();
    const buttonsOfViewer = viewer.page.getByRole("list", { name: list }).getByRole("button");
    expect(await buttonsOfViewer.allInnerTexts()).toEqual(["Commands"]);
    await viewer.page.goto(viewer.at(`/${prefix}/issues/${prefix}-1`));
    const gatesOf = (of: typeof viewer) => of.page.getByRole("region", { name: "Gates" });
    await gatesOf(viewer).getByText("tests").first().waitFor();
    expect(await gatesOf(viewer).getByRole("button").allInnerTexts()).toEqual([]);
    await viewer.close();
    const operator = await board.signedIn(`/${prefix}/issues/${prefix}-1`);
    const { page, at, expectClean, close } = operator;
    const gates = gatesOf(operator);
    await gates.getByRole("button", { name: "Run again" }).waitFor();
    await gates.getByRole("button", { name: "Edit gates" }).click();
    await gates.getByText("These are the project's gates.").waitFor();
    await gates.getByRole("button", { name: "Add a gate" }).click();
    await gates.getByLabel("Name of the gate").fill("tidy");
    await gates.getByRole("button", { name: "Add", exact: true }).click();
    await gates.getByText("These gates replace the project's").waitFor();
    expect(await admin.issues.gates({ issueId })).toMatchObject({
      isOwn: true,
      gates: [
        { name: "tests", command: "make test" },
        { name: "tidy", kind: "clean" },
      ],
    });
    await gates.getByRole("button", { name: "Use the project's gates" }).click();
    await gates.getByText("These are the project's gates.").waitFor();
    expect(await admin.issues.gates({ issueId })).toMatchObject({ isOwn: false, gates: [{ name: "tests" }] });
    await page.goto(at(`/${prefix}/projects/${projectId}`));
    const row = page.getByRole("list", { name: list }).getByRole("listitem");
    // On a phone its buttons stand below its words.
    await page.setViewportSize({ width: 390, height: 844 });
    await expect.poll(async () => (await row.locator(".grow").boundingBox())?.width).toBeGreaterThan(240);
    await row.getByRole("button", { name: `Remove the workspace of ${prefix}-1` }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Remove", exact: true }).click();
    await row.getByText("removed").waitFor();
    // Nothing is kept that could be restored.
    await expect.poll(() => row.getByRole("button").allInnerTexts()).toEqual(["Commands"]);
    expectClean();
    await close();
  });
});
