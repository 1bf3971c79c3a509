import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type GitHost, startGitHost } from "../support/git-host.ts";
import { type Board, startBoard } from "./board.ts";
import { chromiumPath } from "./chromium.ts";

describe.skipIf(chromiumPath === null)("On the board page, an operator", () => {
  let board: Board;
  let host: GitHost;
  beforeAll(async () => {
    [board, host] = await Promise.all([startBoard({ env: { SERVICE_SANDBOX: "auto" } }), startGitHost()]);
  });
  afterAll(async () => {
    await board?.stop();
    host?.close();
  });

  it("adds a repository to a project, sees what is wrong with its host, checks it again and removes it", async () => {
    const { admin } = board.service;
    const { id: companyId } = await admin.companies.create({ name: "Harbour Works" });
    const { id: projectId } = await admin.projects.create({ companyId, name: "Crane" });
    await admin.secrets.create({ companyId, name: "Git host", value: host.token! });
    const { page, expectAccessible, close } = await board.signedIn("/HAR/settings");
    await page.getByRole("button", { name: "Add a repository" }).click();
    const form = page.getByRole("form", { name: "Add a repository" });
    await form.getByLabel("Address").fill(host.url);
    await form.getByLabel("The host is on this machine").check();
    await form.getByRole("button", { name: "Add", exact: true }).click();
    await form.getByText("asks for a credential (401)").waitFor();
    await expectAccessible();
    await form.getByLabel("Secret with the token").selectOption({ label: "Git host" });
    await form.getByRole("button", { name: "Add", exact: true }).click();
    await page.getByRole("list", { name: "Repositories of Crane" }).getByText(host.url).waitFor();
    expect(await admin.repositories.list({ projectId })).toMatchObject([{ url: host.url, problem: null }]);
    await page.getByRole("button", { name: "Check" }).click();
    await page.getByText("The host answers, and has the branch.").first().waitFor();
    await page.getByRole("button", { name: "Set up" }).click();
    await page.getByLabel("Set-up command").fill("npm ci");
    await page.getByLabel("Folders to lay out").fill("apps/site\napps/api");
    await expectAccessible();
    await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect(await admin.repositories.list({ projectId })).toMatchObject([
      { setupCommand: "npm ci", runCommand: null, sparseFolders: ["apps/api", "apps/site"] },
    ]);
    await page.getByRole("button", { name: `Remove ${host.url}` }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Remove", exact: true }).click();
    await page.getByText("No repository yet.").waitFor();
    await close();
  });
});
