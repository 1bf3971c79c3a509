import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type GitHost, git } from "../support/git-host.ts";
import { eventually } from "../support/service.ts";
import { type Board, startBoardWithGitHost } from "./board.ts";
import { chromiumPath } from "./chromium.ts";

const patch = (path: string, body: string) =>
  `curl -sf -X PATCH -H "$auth" -H 'content-type: application/json' -d '${body}' "$SERVICE_API_URL/api/${path}" >/dev/null`;

const inReview = patch("issues/$SERVICE_TASK_ID", '{"status":"in_review"}');

/** Writes a file; once somebody has commented on a line of it, mends that line. */
const script = `
  auth="Authorization: Bearer $SERVICE_API_KEY"
  said=$(curl -sf -H "$auth" "$SERVICE_API_URL/api/issues/$SERVICE_TASK_ID/line-comments")
  if [ -e crane.txt ]; then
    printf '%s' "$said" | grep -q '"lines":\\["two"\\]'
    sed -i 's/^two$/2/' crane.txt
  else
    printf 'one\\ntwo\\nthree\\n' >crane.txt
  fi
  git add crane.txt
  git commit -qm "Set up the crane"
  ${inReview}
`;

describe.skipIf(chromiumPath === null)("A person", () => {
  let board: Board;
  let host: GitHost;
  let stop: () => Promise<void>;
  beforeAll(async () => {
    ({ board, host, stop } = await startBoardWithGitHost());
  });
  afterAll(() => stop?.());

  /** A company with a project that has a repository. */
  const aCompany = async (name: string) => {
    const { admin } = board.service;
    const { id: companyId, issuePrefix } = await admin.companies.create({ name });
    const { id: credentialSecretId } = await admin.secrets.create({
      companyId,
      name: "Git host",
      value: host.token!,
    });
    const { id: projectId } = await admin.projects.create({ companyId, name: "Crane" });
    await admin.repositories.create({ projectId, url: host.url, credentialSecretId, allowPrivateHost: true });
    const hire = async (agent: string, program: string) => {
      const { id } = await admin.agents.create({
        companyId,
        name: agent,
        adapterType: "process",
        adapterConfig: { command: "/bin/sh", args: ["-euc", program] },
      });
      return id;
    };
    return { companyId, issuePrefix, projectId, hire };
  };

  const ended = (issueId: string, count: number) =>
    eventually(
      async () => (await board.service.admin.runs.ofIssue({ issueId })).items,
      (runs) => runs.length === count && runs.every(({ finishedAt }) => finishedAt !== null),
    );

  it("reviews work, comments on a line, sees what the agent's next run changed, and merges it", async () => {
    const { admin } = board.service;
    const { companyId, issuePrefix, projectId, hire } = await aCompany("Harbour");
    const agentId = await hire("Ada", script);
    const { id: issueId, identifier } = await admin.issues.create({
      companyId,
      projectId,
      title: "Set the crane up",
      assigneeAgentId: agentId,
      status: "todo",
    });
    await ended(issueId, 1);

    const { page, expectAccessible, expectClean, close } = await board.signedIn(
      `/${issuePrefix}/issues/${identifier}`,
    );
    await page.getByRole("tab", { name: "Changes" }).click();
    const files = page.getByRole("list", { name: "Changed files" });
    await files.getByRole("button", { name: "crane.txt" }).click();
    const lines = files.getByRole("region", { name: "Changes of crane.txt" });
    for (const [line, words] of [
      [1, "This one is fine."],
      [2, "As a digit, please."],
    ] as const) {
      await lines.getByRole("button", { name: `Comment on line ${line}`, exact: true }).click();
      await page.getByRole("textbox", { name: `Comment on crane.txt, line ${line}` }).fill(words);
      await page.getByRole("button", { name: "Add to review" }).click();
      await lines.getByRole("article", { name: `Pending comment on crane.txt, line ${line}` }).waitFor();
    }
    expect((await admin.issues.comments({ issueId })).items).toEqual([]);
    await page.getByRole("button", { name: "Review (2)" }).click();
    await expectAccessible();
    await page.getByRole("textbox", { name: "Summary" }).fill("Nearly there.");
    await page.getByRole("button", { name: "Send review" }).click();

    // The comments wake the agent once, and its next run reads each with its line.
    const [second] = await ended(issueId, 2);
    expect(second).toMatchObject({ status: "succeeded", wakeReason: "issue_commented" });
    expect((await admin.issues.comments({ issueId, order: "asc" })).items.map(({ body }) => body)).toEqual([
      "This one is fine.",
      "As a digit, please.",
      "Nearly there.",
    ]);
    expect((await admin.runs.get({ runId: second!.id })).wakes).toHaveLength(3);
    // The page shows the new state by itself, and that the comment was about what is gone.
    const other = page.getByRole("region", { name: "Comments on other lines" });
    await other.getByText("outdated").waitFor();
    await other.getByText("two").waitFor();
    await lines.getByText("added: 2").waitFor();

    await page.goto(new URL(`/${issuePrefix}/runs/${second!.id}`, page.url()).href);
    await page.getByRole("button", { name: "Changes" }).click();
    await files.getByRole("button", { name: "crane.txt" }).click();
    await lines.getByText("removed: two").waitFor();
    expect(await lines.getByText("added:").count()).toBe(1);
    await expectAccessible();

    await page.goto(new URL(`/${issuePrefix}/issues/${identifier}`, page.url()).href);
    await page.getByRole("tab", { name: "Changes" }).click();
    await page.getByRole("button", { name: "Merge" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Merge" }).click();
    await page.getByText(/^Merged \d+ commits? into main as/).waitFor();
    expect(git(host.bare, ["show", "main:crane.txt"])).toBe("one\n2\nthree");
    await page.getByRole("tab", { name: "Issue" }).click();
    await page
      .getByRole("list", { name: "Workspaces of the issue" })
      .getByText("can be cleaned up")
      .waitFor();
    expectClean();
    await close();
  });

  it("sees on the page of an issue what its workspaces hold, removes one, and restores it", async () => {
    const { admin } = board.service;
    const { companyId, issuePrefix, projectId, hire } = await aCompany("Basin");
    const leaving = `echo new >new.txt; auth="Authorization: Bearer $SERVICE_API_KEY"; ${inReview}`;
    const assigneeAgentId = await hire("Ada", leaving);
    await hire("Bo", "echo seen >seen.txt");
    const { id: issueId, identifier } = await admin.issues.create({
      companyId,
      projectId,
      title: "Dig it",
      assigneeAgentId,
      status: "todo",
    });
    await ended(issueId, 1);
    // Wakes the assignee, too.
    await admin.issues.comment({ issueId, body: "@bo please see" });
    await ended(issueId, 3);

    const { page, expectAccessible, expectClean, close } = await board.signedIn(
      `/${issuePrefix}/issues/${identifier}`,
    );
    const rows = page.getByRole("list", { name: "Workspaces of the issue" }).getByRole("listitem");
    const row = rows.filter({ hasText: "The issue's own" });
    await row.getByText(`boardroom/${identifier}`).waitFor();
    expect(await row.innerText()).toMatch(/kept [^·]+ · last run · boardroom\/\S+ · \d+ KB · not merged/);
    await rows.getByRole("link", { name: "Bo", exact: true }).waitFor();
    await expectAccessible();
    await row.getByRole("button", { name: "Remove" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("not merged or fully").waitFor();
    await dialog.getByRole("button", { name: "Abandon and remove" }).click();
    await row.getByText("removed").waitFor();
    await row.getByRole("button", { name: "Restore" }).click();
    await page.getByText("starts from the saved work").first().waitFor();
    const { items } = await admin.workspaces.list({ companyId, issueId });
    expect(items.find(({ agentId }) => agentId === null)).toMatchObject({
      status: "removed",
      repositories: [{ givenUpAt: null }],
    });
    expectClean();
    await close();
  });
});
