import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ApiService, apiOn } from "../support/api-service.ts";
import { type GitHost, git, startGitHost } from "../support/git-host.ts";
import { issueAtWork } from "../support/issue-work.ts";
import { type Board, startBoard } from "./board.ts";
import { chromiumPath } from "./chromium.ts";
import { phone, Taps } from "./taps.ts";

describe.skipIf(chromiumPath === null)("On the page of an issue, an operator", () => {
  let board: Board;
  let host: GitHost;
  let api: ApiService;
  beforeAll(async () => {
    [board, host] = await Promise.all([startBoard({ env: { SERVICE_SANDBOX: "auto" } }), startGitHost()]);
    api = apiOn(board.service);
  });
  afterAll(async () => {
    await api?.sql.end();
    await board?.stop();
    host?.close();
  });

  /** An issue of a project with a repository. */
  const anIssue = async () => {
    const company = await api.company();
    const companyId = company.id;
    const { id: credentialSecretId } = await api.make(`/api/companies/${companyId}/secrets`, {
      name: "Git host",
      value: host.token,
    });
    const { id: projectId } = await api.make(`/api/companies/${companyId}/projects`, { name: "Crane" });
    const { id: repositoryId } = await api.make(`/api/projects/${projectId}/repositories`, {
      url: host.url,
      credentialSecretId,
      allowPrivateHost: true,
    });
    const asked = { companyId, projectId, repositoryId, defaultBranch: "main" };
    const issue = await issueAtWork(api, host, asked);
    return { issue, projectId, path: `/${company.issuePrefix}/issues/${issue.identifier}` };
  };

  it("reads what it changes: files, lines in one column or side by side, and texts that try to hide", async () => {
    const { issue, path } = await anIssue();
    await issue.leave({
      "a.txt": "zero\none\n",
      "<img src=x onerror=alert(1)>.txt": "<script>alert(1)</script>\nif (\u202e\u2066// admin\u2069) {\n",
      "turned\u202egnp.exe": "x\n",
    });
    const { page, expectAccessible, expectClean, close } = await board.signedIn(path);
    await page.getByRole("tab", { name: "Changes" }).click();
    const files = page.getByRole("list", { name: "Changed files" });
    await files.getByRole("button", { name: "a.txt" }).click();
    const lines = files.getByRole("region", { name: "Changes of a.txt" });
    await lines.getByText("added: zero").waitFor();
    await page.getByText("0 of 3 files viewed").waitFor();
    await files.getByRole("checkbox", { name: "Viewed a.txt" }).check();
    await page.getByText("1 of 3 files viewed").waitFor();
    await expectAccessible();
    // The bar stays in view while the files scroll.
    const bar = page.locator(".issue-changes-bar");
    await page.locator(".page-body").evaluate((body) => body.scrollTo(0, body.scrollHeight));
    expect(await bar.getByRole("button", { name: "Merge" }).isVisible()).toBe(true);
    await page.getByRole("button", { name: "Side by side" }).click();
    await expect.poll(() => lines.locator(".patch-pair").count()).toBeGreaterThan(1);
    await files.getByRole("button", { name: "<img src=x" }).click();
    await files.getByText("<script>alert(1)</script>").waitFor();
    await files.getByText("if (\\u{202e}\\u{2066}// admin\\u{2069}) {").waitFor();
    await files.getByText("turned\\u{202e}gnp.exe").waitFor();
    await expectAccessible();
    await page.getByRole("button", { name: "Merge" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Method").selectOption("merge");
    await expectAccessible();
    await dialog.getByRole("button", { name: "Merge" }).click();
    await page.getByText(/^Merged 1 commit into main as [0-9a-f]{7},/).waitFor();
    await expectAccessible();
    await page.getByRole("button", { name: "Complete issue" }).click();
    await expect.poll(async () => (await api.get(`/api/issues/${issue.id}`)).body.status).toBe("done");
    await page.getByText(/^Merged 1 commit/).waitFor();
    expect(git(host.bare, ["show", "main:a.txt"])).toBe("zero\none");
    await files.getByText("turned\\u{202e}gnp.exe").waitFor();
    expectClean();
    await close();
  });

  it("asks the assignee to resolve conflicts, before a merge", async () => {
    const { issue, path } = await anIssue();
    await issue.leave({ "a.txt": "ours\n", "b`@x.txt": "x\n" });
    host.commit({ "a.txt": "theirs\n" });
    // The service fetches the host's branch, and finds the conflict.
    await api.post(`/api/issues/${issue.id}/merge`, { method: "fast_forward" });
    await api.sql`delete from wakes where issue_id = ${issue.id}`;
    const { page, expectAccessible, expectClean, close } = await board.signedIn(path);
    await page.getByRole("tab", { name: "Changes" }).click();
    await page.getByText("This branch has conflicts with main:").waitFor();
    await expect.poll(() => page.locator("button.main", { hasText: "Merge" }).count()).toBe(0);
    await expectAccessible();
    await page.getByRole("button", { name: /^Ask .* to resolve them$/ }).click();
    await page.getByText("will be notified").waitFor();
    const { body: comments } = await api.get(`/api/issues/${issue.id}/comments`);
    expect(comments[0].body).toContain("a.txt");
    const wakes = await api.sql`select reason from wakes where issue_id = ${issue.id}`;
    expect(wakes.map(({ reason }) => reason)).toContain("issue_commented");
    expectClean();
    await close();
  });

  it("comments on lines by mouse and by keyboard, and finds the comment again where the lines are now", async () => {
    const { issue, path } = await anIssue();
    const text = Array.from({ length: 12 }, (_, n) => `line ${n + 1}\n`).join("");
    const first = await issue.leave({ "a.txt": null, "new.txt": text });
    const { page, expectAccessible, expectClean, close } = await board.signedIn(path);
    await page.getByRole("tab", { name: "Changes" }).click();
    const files = page.getByRole("list", { name: "Changed files" });
    await files.getByRole("button", { name: "new.txt" }).click();
    const lines = files.getByRole("region", { name: "Changes of new.txt" });
    await lines.getByRole("button", { name: "Comment on line 4", exact: true }).click();
    const box = page.getByRole("textbox", { name: "Comment on new.txt, line 4" });
    await box.fill("Is this one necessary?");
    await expectAccessible();
    await page.getByRole("form").getByRole("button", { name: "Comment", exact: true }).click();
    const comment = lines.getByRole("article", { name: "on new.txt, line 4" });
    await comment.getByText("Is this one necessary?").waitFor();
    // The focus is back where the line was chosen; three lines are chosen from there.
    await lines.locator("button:focus", { hasText: /^4$/ }).waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Shift+ArrowDown");
    await page.keyboard.press("Shift+ArrowDown");
    await page.keyboard.press("Enter");
    await page.getByRole("textbox", { name: "Comment on new.txt, lines 5 to 7" }).waitFor();
    await page.keyboard.type("And these?");
    await page.keyboard.press("Control+Enter");
    await lines.getByRole("article", { name: "Pending comment on new.txt, lines 5 to 7" }).waitFor();
    await page.getByRole("button", { name: "Review (1)" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Send review" }).click();
    await lines.getByRole("article", { name: /^Comment by .* on new.txt, lines 5 to 7/ }).waitFor();
    const { body: comments } = await api.get(`/api/issues/${issue.id}/line-comments`);
    expect(comments).toMatchObject([
      { body: "And these?", location: { startLine: 5, endLine: 7, commit: first, side: "new" } },
      { body: "Is this one necessary?", location: { startLine: 4, endLine: 4 } },
    ]);

    await issue.leave({ "new.txt": `above\n${text.replace("line 6", "other")}` });
    await page.reload();
    await page.getByRole("region", { name: "Thread" }).getByText("new.txt, line 4, at").waitFor();
    await page.getByRole("tab", { name: "Changes" }).click();
    const other = page.getByRole("region", { name: "Comments on other lines" });
    await other.getByText("outdated").waitFor();
    await other.getByText("line 6").waitFor();
    await files.getByRole("button", { name: "new.txt" }).click();
    // Below the line that it was about, which is the fifth now.
    await lines
      .locator(".patch-line", { hasText: "line 4" })
      .locator("+ ol")
      .getByText("necessary?")
      .waitFor();
    await page.getByRole("button", { name: "Side by side" }).click();
    await comment.getByText("necessary?").waitFor();
    await expectAccessible();
    expectClean();
    await close();
  });

  it("decides each kind of request within three taps on a phone", async () => {
    const { admin } = board.service;
    const { issue, projectId } = await anIssue();
    const { companyId, assigneeAgentId, id: issueId } = await admin.issues.get({ issueId: issue.id });
    const { userId } = await admin.session.get();
    await admin.projects.setGates({
      projectId,
      gates: [{ name: "Looked at", kind: "review", reviewerUserId: userId! }],
    });
    await issue.leave({ "taps.txt": "one\n" });
    const { prefix } = { prefix: (await admin.companies.get({ companyId })).issuePrefix };
    const asAgent = board.service.as(
      (await admin.agents.createKey({ agentId: assigneeAgentId!, name: "test" })).token,
    );
    await asAgent.approvals.create({
      companyId,
      type: "approve_ceo_strategy",
      payload: { title: "Buy a rope" },
    });
    const { id: otherId } = await admin.issues.create({ companyId, title: "Paint the crane" });
    await admin.interactions.create({
      issueId: otherId,
      kind: "request_confirmation",
      title: "Ship it",
      payload: { prompt: "Ship?" },
    });
    await admin.interactions.create({
      issueId: otherId,
      kind: "ask_user_questions",
      title: "Which colour",
      payload: {
        questions: [
          {
            id: "colour",
            prompt: "Which?",
            selectionMode: "single",
            required: true,
            options: [{ id: "red", label: "Red" }],
          },
        ],
      },
    });
    await admin.issues.update({
      issueId,
      status: "in_review",
      assigneeAgentId: null,
      assigneeUserId: userId!,
    });
    const { id: agentId } = await admin.agents.create({
      companyId,
      name: "Spender",
      adapterType: "process",
      adapterConfig: { command: "/bin/true" },
      budgetMonthlyCents: 100,
    });
    await admin.costs.report({ companyId, agentId, provider: "local", model: "m", costCents: 200 });

    const { page, at, expectClean, close } = await board.signedIn("/api/health", phone);
    const button = (name: string) => page.getByRole("button", { name, exact: true });
    const dialog = page.getByRole("dialog");
    const decisions: Readonly<Record<string, (taps: Taps) => Promise<void>>> = {
      "Buy a rope": (taps) => taps.on(button("Approve")),
      "Ship it": (taps) => taps.on(button("Accept")),
      "Which colour": async (taps) => {
        await taps.on(page.getByRole("radio", { name: "Red" }));
        await taps.on(button("Answer"));
      },
      Spender: async (taps) => {
        await taps.on(button("Edit budget"));
        await dialog.getByLabel("Monthly budget (USD)").fill("20");
        await taps.on(dialog.getByRole("button", { name: "Save" }));
      },
      [`gate of ${issue.identifier}`]: async (taps) => {
        await taps.on(button("Review"));
        await taps.on(dialog.getByRole("button", { name: "Send" }));
      },
      [`merge of ${issue.identifier}`]: async (taps) => {
        await taps.on(button("Merge"));
        await taps.on(dialog.getByRole("button", { name: "Merge" }));
      },
    };
    const { title } = await admin.issues.get({ issueId });
    const counted: Record<string, number> = {};
    for (const [name, decide] of Object.entries(decisions)) {
      await page.goto(at(`/inbox?company=${prefix}`));
      const taps = new Taps();
      const entry = name.endsWith(issue.identifier) ? title : name;
      await taps.on(page.locator(".inbox").getByRole("link", { name: entry }).first());
      await decide(taps);
      counted[name] = taps.count;
      await expect.poll(() => dialog.count()).toBe(0);
    }
    console.info(counted);
    expect(Object.entries(counted).filter(([, taps]) => taps > 3)).toEqual([]);
    await expect.poll(async () => (await admin.issues.changes({ issueId }))[0]?.lastMerge).not.toBe(null);
    expect((await admin.agents.get({ agentId })).budgetMonthlyCents).toBe(2_000);
    expectClean();
    await close();
  });

  it("sends verdict and comments in one request, about the commits that were there when the form was opened", async () => {
    const { admin } = board.service;
    const { issue, path } = await anIssue();
    const { userId } = await admin.session.get();
    await admin.issues.setGates({
      issueId: issue.id,
      gates: [{ name: "Looked at", kind: "review", reviewerUserId: userId! }],
    });
    await issue.leave({ "new.txt": "one\ntwo\n" });
    const { page, expectAccessible, expectClean, close } = await board.signedIn(path);
    const sent: string[] = [];
    page.on("request", (request) => {
      if (request.method() === "POST" && request.url().includes(issue.id))
        sent.push(new URL(request.url()).pathname.split("/").at(-1)!);
    });
    await page.getByRole("tab", { name: "Changes" }).click();
    const files = page.getByRole("list", { name: "Changed files" });
    await files.getByRole("button", { name: "new.txt" }).click();
    await files.getByRole("button", { name: "Comment on line 2", exact: true }).click();
    await page.getByRole("textbox", { name: "Comment on new.txt, line 2" }).fill("As a digit, please.");
    await page.getByRole("button", { name: "Add to review" }).click();
    await page.getByRole("button", { name: "Review (1)" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Verdict").selectOption("changes_requested");
    await dialog.getByLabel("Summary").fill("Nearly there.");
    await expectAccessible();
    // The page learns of the newer commit while the form is open.
    await issue.leave({ "new.txt": "one\ntwo\nthree\n" });
    const read = page.waitForResponse((answer) => answer.url().endsWith(`/${issue.id}/gates`));
    await admin.issues.update({ issueId: issue.id, priority: "high" });
    await read;
    await files.getByText("added: three").waitFor();
    await dialog.getByRole("button", { name: "Send review" }).click();
    await dialog.getByText("The issue has commits that weren't reviewed.").waitFor();
    expect((await admin.issues.comments({ issueId: issue.id })).items).toEqual([]);
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Review (1)" }).click();
    await dialog.getByLabel("Verdict").selectOption("changes_requested");
    await dialog.getByRole("button", { name: "Send review" }).click();
    await page.getByText("Review sent").waitFor();
    expect(sent).toEqual(["reviews", "reviews"]);
    expect(
      (await admin.issues.comments({ issueId: issue.id, order: "asc" })).items.map(({ body }) => body),
    ).toEqual(["board requested changes.\n\nNearly there.", "As a digit, please."]);
    const { gates } = await admin.issues.gates({ issueId: issue.id });
    expect(gates[0]?.reason).toContain("Nearly there.");
    expectClean({ refusals: [409] });
    await close();
  });

  it("sets a gate of the project, reviews the commits, and sees the gate met until there are others", async () => {
    const { issue, projectId, path } = await anIssue();
    await issue.leave({ "work.txt": "one\n" });
    const { page, expectAccessible, expectClean, close } = await board.signedIn(
      path.replace(/issues.*/, `projects/${projectId}`),
    );
    await page.getByRole("button", { name: "Add a gate" }).click();
    const form = page.getByRole("form", { name: "Add a gate" });
    await form.getByLabel("Name of the gate").fill("Looked at");
    await form.getByLabel("Kind").selectOption("review");
    await form.getByLabel("Reviewer").waitFor();
    await expectAccessible();
    await form.getByRole("button", { name: "Add" }).click();
    await page.getByText("review by").waitFor();
    await page.goto(new URL(path, page.url()).href);
    const gates = page.getByRole("region", { name: "Gates" });
    await gates.getByText("Waiting for a review by").waitFor();
    await gates.getByRole("button", { name: "Review" }).click();
    await expectAccessible();
    await page.getByRole("dialog").getByRole("button", { name: "Send" }).click();
    await gates.getByText("· met").waitFor();
    await issue.leave({ "work.txt": "two\n" });
    await page.reload();
    await gates.getByText("is older than the last commit").waitFor();
    // A merge that would be refused says why, and is not offered.
    await page.getByRole("tab", { name: "Changes" }).click();
    await page.getByRole("button", { name: "Merge" }).click();
    const merging = page.getByRole("dialog");
    await merging.getByText("is older than the last commit").waitFor();
    expect(await merging.getByRole("button", { name: "Merge" }).isDisabled()).toBe(true);
    await merging.getByLabel("Merge without passing gates (logged)").check();
    expect(await merging.getByRole("button", { name: "Merge" }).isDisabled()).toBe(false);
    await expectAccessible();
    await page.keyboard.press("Escape");
    await page.getByRole("tab", { name: "Issue" }).click();
    await gates.getByRole("button", { name: "Complete without passing gates" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Override gates" }).click();
    await page.getByText("Completed").waitFor();
    await page.goto(new URL(path.replace(/issues.*/, "issues?status=done"), page.url()).href);
    const row = page.getByRole("listitem").filter({ hasText: issue.identifier });
    await row.getByRole("img", { name: "Completed" }).waitFor();
    await page.goto(new URL(path.replace(/issues.*/, "issues?status=done&view=board"), page.url()).href);
    const inColumn = page.getByRole("region", { name: "Done" }).getByRole("article");
    await inColumn.getByRole("img", { name: "Completed" }).waitFor();
    await page.goto(new URL(path.replace(/issues.*/, "projects"), page.url()).href);
    await page.getByText("(0 verified, 1 reported)").waitFor();
    expectClean();
    await close();
  });

  it("opens long files and the last of 5,000, of which a part is in the page", async () => {
    const { issue, path } = await anIssue();
    const many = Array.from({ length: 5_000 }, (_, n) => `many/${String(n).padStart(4, "0")}.txt`);
    const line = "a line of a long file, which is shown in parts\n";
    await issue.leave({
      ...Object.fromEntries(many.slice(2).map((each) => [each, "x\n"])),
      "a long file.txt": line.repeat(30_000),
      "a longer file.txt": line.repeat(60_000),
    });
    const { page, expectClean, close } = await board.signedIn(path);
    await page.getByRole("tab", { name: "Changes" }).click();
    const files = page.getByRole("list", { name: "Changed files" });
    await files.getByRole("button", { name: "a long file.txt" }).click();
    const shown = page.locator(".patch-line");
    await expect.poll(() => shown.count()).toBe(1_000);
    await page.getByRole("button", { name: "Show more of 29,000 lines" }).click();
    await expect.poll(() => shown.count()).toBe(2_000);
    await files.getByRole("button", { name: "a long file.txt" }).click();
    await files.getByRole("button", { name: "a longer file.txt" }).click();
    await page.getByRole("alert").getByText("diff is too large to show").waitFor();
    await files.getByRole("button", { name: "a longer file.txt" }).click();
    await files.getByText("many/0002.txt").waitFor();
    expect(await files.getByRole("listitem").count()).toBeLessThan(200);
    const last = files.getByRole("button", { name: "many/4999.txt" });
    await expect
      .poll(async () => {
        await page.locator(".page-body").evaluate((body) => body.scrollTo(0, body.scrollHeight));
        return last.count();
      })
      .toBe(1);
    await last.click();
    await files.getByRole("region", { name: "Changes of many/4999.txt" }).getByText("added: x").waitFor();
    expectClean({ refusals: [422] });
    await close();
  });
});
