import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { aPerson, type Board, startBoardWithAgent, unique } from "./board.ts";
import { chromiumPath } from "./chromium.ts";

/** Keeps the timers of decisions that are held back, each of five seconds, until `endWait` is called. */
const delayTimersScript = `
  const timers = new Map();
  const [start, stop] = [window.setTimeout, window.clearTimeout];
  window.setTimeout = (run, ms, ...rest) => {
    if (ms !== 5000) return start(run, ms, ...rest);
    const id = -1 - timers.size;
    timers.set(id, run);
    return id;
  };
  window.clearTimeout = (id) => (id < 0 ? timers.set(id, null) : stop(id));
  window.endWait = () => {
    for (const [id, run] of timers) {
      timers.set(id, null);
      run?.();
    }
  };
`;

/** Undoing on the page what the lifecycle allows to be undone. */
describe.skipIf(chromiumPath === null)("A change on the board page is undone", () => {
  let board: Board;
  let companyId: string;
  let agentId: string;
  let bob: string;
  beforeAll(async () => {
    ({ board, companyId, agentId } = await startBoardWithAgent({ name: "Rigger" }));
    ({ id: bob } = await aPerson(board, companyId, "Bob Pier", "operator"));
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
      await page.getByRole("checkbox", { name: `Select ${identifier}` }).check();
    await page.getByRole("button", { name: "Change the assignee of the selected issues" }).click();
    const sent = page.waitForRequest((request) => request.method() === "PATCH");
    await page.getByRole("menuitem", { name: "Bob Pier" }).click();
    // The service starts nobody while the page offers to undo it, also where the page is closed.
    expect((await sent).postDataJSON()).toMatchObject({ undoableSec: 12 });
    await page.getByText("2 issues assigned to Bob Pier").waitFor();
    await expectAccessible();
    const assigneeOf = ({ id }: { id: string }) => page.locator(`[data-issue="${id}"] .issues-assignee`);
    for (const each of [one, other]) await assigneeOf(each).getByText("Bob Pier").waitFor();
    expect(await Promise.all([facts(one.id), facts(other.id)])).toMatchObject([
      { assigneeUserId: bob, assigneeAgentId: null },
      { assigneeUserId: bob, assigneeAgentId: null },
    ]);
    await page.getByRole("button", { name: "Undo" }).click();
    await expect.poll(() => Promise.all([facts(one.id), facts(other.id)])).toEqual(before);
    // The next change is undone to what the rows show by then.
    await assigneeOf(one).getByText("Rigger").waitFor();
    await assigneeOf(other).getByText("Unassigned").waitFor();
    for (const { identifier } of [one, other])
      await page.getByRole("checkbox", { name: `Select ${identifier}` }).check();
    await page.getByRole("button", { name: "Change the priority of the selected issues" }).click();
    await page.getByRole("menuitem", { name: "Critical" }).click();
    await page.getByText("2 issues set to critical priority").waitFor();
    await page.keyboard.press("z");
    await expect.poll(() => Promise.all([facts(one.id), facts(other.id)])).toEqual(before);
    expectClean();
    await close();
  });

  it("for labels, which those lose that had them not before", async () => {
    const { admin } = board.service;
    const [dryDock, afloat] = [unique("Dry dock"), unique("Afloat")];
    const { id: dry } = await admin.labels.create({ companyId, name: dryDock, color: "#336699" });
    const { id: wet } = await admin.labels.create({ companyId, name: afloat, color: "#669933" });
    const one = await issue("Scrape the hull", { labelIds: [dry, wet] });
    const other = await issue("Caulk the seams");
    const labels = () =>
      Promise.all(
        [one, other].map(async ({ id: issueId }) =>
          ((await admin.issues.get({ issueId })).labels ?? []).map(({ name }) => name).sort(),
        ),
      );
    const { page, expectClean, expectAccessible, close } = await board.signedIn("/HAR/issues");
    const choose = async () => {
      for (const { identifier } of [one, other])
        await page.getByRole("checkbox", { name: `Select ${identifier}` }).check();
    };
    await choose();
    await page.getByRole("button", { name: "Change the labels of the selected issues" }).click();
    await expectAccessible();
    await page.getByRole("menuitem", { name: `Add ${dryDock}` }).click();
    await page.getByText(`${dryDock} added to 1 issue`).waitFor();
    await expect.poll(labels).toEqual([[afloat, dryDock], [dryDock]]);
    await page.getByRole("button", { name: "Undo" }).click();
    await expect.poll(labels).toEqual([[afloat, dryDock], []]);
    await choose();
    await page.keyboard.press("l");
    await page.getByRole("menuitem", { name: `Remove ${afloat}` }).click();
    await expect.poll(labels).toEqual([[dryDock], []]);
    await page.getByRole("button", { name: "Undo" }).waitFor();
    await page.keyboard.press("z");
    await expect.poll(labels).toEqual([[afloat, dryDock], []]);
    expectClean();
    await close();
  });

  it("for the issue that several are made part of", async () => {
    const { admin } = board.service;
    const whole = await issue(unique("Overhaul the tug"));
    const parts = [await issue("Lift the engine"), await issue("Mend the rudder")];
    const parents = () =>
      Promise.all(parts.map(async ({ id: issueId }) => (await admin.issues.get({ issueId })).parentId));
    const { page, expectClean, expectAccessible, close } = await board.signedIn("/HAR/issues");
    for (const { identifier } of parts)
      await page.getByRole("checkbox", { name: `Select ${identifier}` }).check();
    await page.getByRole("button", { name: "Parent issue", exact: true }).click();
    await expectAccessible();
    await page.keyboard.type("overhaul");
    await page.getByRole("option", { name: whole.title }).click();
    await page.getByText("Parent issue of 2 issues set").waitFor();
    expect(await parents()).toEqual([whole.id, whole.id]);
    await page.keyboard.press("z");
    await expect.poll(parents).toEqual([null, null]);
    expectClean();
    await close();
  });

  it("on the board, whose cards the arrows go through", async () => {
    const project = await board.service.admin.projects.create({ companyId, name: "Arrows" });
    for (const [title, status] of [
      ["Oil the capstan", "backlog"],
      ["Coil the line", "backlog"],
      ["Ring the bell", "todo"],
    ] as const)
      await issue(title, { status, projectId: project.id });
    const { page, expectClean, close } = await board.signedIn(`/HAR/issues?view=board&project=${project.id}`);
    await page.getByRole("link", { name: "Ring the bell" }).waitFor();
    const focused = () => page.locator(".issues-card-title:focus").textContent();
    const [top, below] = await page
      .getByRole("region", { name: "Backlog" })
      .locator(".issues-card-title")
      .allTextContents();
    const went: (string | null)[] = [];
    for (const key of ["ArrowDown", "ArrowDown", "ArrowRight", "ArrowLeft", "ArrowUp"]) {
      await page.keyboard.press(key);
      went.push(await focused());
    }
    expect(went).toEqual([top, below, "Ring the bell", top, top]);
    expectClean();
    await close();
  });

  it("on the board by assignee, whose cards are given to somebody else and get no column they cannot have", async () => {
    const project = await board.service.admin.projects.create({ companyId, name: "Hands" });
    const mine = await issue("Splice the rope", { assigneeUserId: bob, projectId: project.id });
    const free = await issue("Paint the buoy", { projectId: project.id });
    const { page, at, expectClean, expectAccessible, close } = await board.signedIn(
      `/HAR/issues?view=board&project=${project.id}`,
    );
    await page.getByRole("button", { name: "Display" }).click();
    await page.getByRole("dialog", { name: "Display" }).getByLabel("Columns").selectOption("Assignee");
    await page.keyboard.press("Escape");
    await page.waitForURL(/group=assignee/);
    const columns = () =>
      page
        .locator(".issues-column")
        .evaluateAll((found) =>
          found.map((column) => [
            column.getAttribute("aria-label"),
            ...[...column.querySelectorAll(".issues-card-title")].map(({ textContent }) => textContent),
          ]),
        );
    await expect.poll(columns).toEqual([
      ["Unassigned", "Paint the buoy"],
      ["Bob Pier", "Splice the rope"],
    ]);
    await expectAccessible();
    await page
      .getByRole("link", { name: "Paint the buoy" })
      .dragTo(page.getByRole("region", { name: "Bob Pier" }));
    await expect.poll(async () => (await facts(free.id)).assigneeUserId).toBe(bob);
    await page.getByRole("button", { name: "Undo" }).click();
    await expect.poll(async () => (await facts(free.id)).assigneeUserId).toBeNull();
    await page.getByRole("button", { name: `Move ${mine.identifier}` }).click();
    await page.getByRole("menuitem", { name: "Rigger" }).click();
    await expect.poll(columns).toEqual([
      ["Unassigned", "Paint the buoy"],
      ["Rigger", "Splice the rope"],
    ]);
    // A saved view keeps the columns.
    const view = unique("Who has what");
    await page.getByRole("button", { name: "Save view" }).click();
    await page.getByRole("dialog").getByLabel("Name").fill(view);
    await page.keyboard.press("Enter");
    await page.getByText(`View ${view} saved`).waitFor();
    await page.goto(at("/HAR/issues"));
    await page.getByRole("link", { name: view }).click();
    await page.getByRole("region", { name: "Rigger" }).waitFor();
    expectClean();
    await close();
  });

  it("and those are named that no status leads back for", async () => {
    const begun = await issue("Splice the rope", { status: "todo" });
    const idle = await issue("Wash the sails");
    const { page, expectClean, close } = await board.signedIn("/HAR/issues");
    for (const { identifier } of [begun, idle])
      await page.getByRole("checkbox", { name: `Select ${identifier}` }).check();
    await page.getByRole("button", { name: "Change the status of the selected issues" }).click();
    await page.getByRole("menuitem", { name: "In review" }).click();
    await page.getByText("2 issues moved to In review").waitFor();
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByText(`Couldn't undo ${idle.identifier}.`).waitFor();
    expect([(await facts(begun.id)).status, (await facts(idle.id)).status]).toEqual(["todo", "in_review"]);
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
      await page.getByRole("checkbox", { name: `Select ${identifier}` }).check();
    await page.getByRole("button", { name: "Change the status of the selected issues" }).click();
    await page.getByRole("menuitem", { name: "Blocked" }).click();
    await page.getByText("1 issue moved to Blocked").waitFor();
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
    await page.getByText(`${identifier} assigned to Bob Pier`).waitFor();
    await admin.issues.update({ issueId: id, assigneeAgentId: agentId, assigneeUserId: null });
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByText(`${identifier} has changed since and stays as it is.`).waitFor();
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
      await page.getByRole("combobox", { name: "Command palette" }).fill(action);
      await page.getByRole("option", { name: action }).waitFor();
      await expectAccessible();
      await page.keyboard.press("Enter");
    };
    await choose(`Assign ${identifier} to Bob Pier`);
    await expect.poll(async () => (await facts(id)).assigneeUserId).toBe(bob);
    await page.getByText(`${identifier} assigned to Bob Pier`).waitFor();
    await page.keyboard.press("z");
    await expect.poll(async () => (await facts(id)).assigneeUserId).toBe(null);
    await choose(`Move ${identifier} to Done`);
    // From where nothing leads back, one Enter is not enough.
    await page.getByRole("option", { name: `Move ${identifier} to Done: yes` }).waitFor();
    expect((await facts(id)).status).not.toBe("done");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await expect.poll(async () => (await facts(id)).status).toBe("done");
    expectClean();
    await close();
  });

  it("for a company that was archived, and for the status of a goal", async () => {
    const { admin } = board.service;
    const other = await admin.companies.create({ name: "Lighthouse" });
    const { page, at, expectClean, close } = await board.signedIn(`/${other.issuePrefix}/settings`);
    await page.getByRole("button", { name: "Archive", exact: true }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Archive", exact: true }).click();
    await page.getByText("Lighthouse archived").waitFor();
    await page.getByRole("button", { name: "Undo" }).click();
    await expect.poll(async () => (await admin.companies.get({ companyId: other.id })).status).toBe("active");
    const goal = await admin.goals.create({ companyId, title: "Open before spring" });
    await page.goto(at(`/HAR/goals/${goal.id}`));
    await page.getByRole("button", { name: "Edit" }).click();
    await page.getByRole("dialog").getByLabel("Status").selectOption({ label: "Achieved" });
    await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
    await page.getByText("Open before spring updated").waitFor();
    await page.getByRole("button", { name: "Undo" }).click();
    await expect.poll(async () => (await admin.goals.get({ goalId: goal.id })).status).toBe(goal.status);
    expectClean();
    await close();
  });

  describe("where nobody could undo it later: a final decision", () => {
    const request = async (name: string) => {
      const { approval } = await board.service.admin.approvals.hire({ companyId, name, role: "engineer" });
      return approval.id;
    };
    const statusOf = async (approvalId: string) =>
      (await board.service.admin.approvals.get({ approvalId })).status;

    /** The inbox with a request in it; what is held back waits until `endWait` is called, however fast or slow the machine is. */
    const openInbox = async (name: string) => {
      const { page, ...opened } = await board.signedIn("/");
      await page.addInitScript(delayTimersScript);
      const sent: string[] = [];
      page.on("request", (each) => {
        if (each.method() === "POST" && /\/(approve|reject|request-revision)$/.test(each.url()))
          sent.push(each.url());
      });
      await page.goto(opened.at("/inbox"));
      await page.getByRole("link", { name, exact: true }).click();
      await page.locator(".live-mark.live").waitFor();
      // The facts of the request are read, too, by which it can be decided without a connection.
      const decide = page.getByRole("region", { name }).getByRole("button", { name: "Approve" });
      await decide.waitFor();
      const count = async () =>
        Number.parseInt(
          (await page
            .locator(".count")
            .first()
            .textContent()
            .catch(() => null)) ?? "0",
          10,
        );
      const approve = async () => {
        await decide.click();
        await page.getByText(`Approved: ${name}`).waitFor();
      };
      return { ...opened, page, sent, count, approve, endWait: () => page.evaluate("endWait()") };
    };

    it("is not sent, and the count of what waits goes down and up with it at once", async () => {
      const [name, other] = [unique("Ada"), unique("Bo")];
      const approvalId = await request(name);
      await request(other);
      const { page, sent, count, approve, endWait, expectClean, expectAccessible, close } =
        await openInbox(name);
      const before = await count();
      await approve();
      await page.getByRole("link", { name, exact: true }).waitFor({ state: "detached" });
      expect(await count()).toBe(before - 1);
      await expectAccessible();
      await page.keyboard.press("z");
      await page.getByRole("link", { name, exact: true }).waitFor();
      expect(await count()).toBe(before);
      await endWait();
      expect(sent).toEqual([]);
      expect(await statusOf(approvalId)).toBe("pending");
      // A decision that is not undone is sent once, and the count stays as it was shown.
      await page.getByRole("link", { name, exact: true }).click();
      await approve();
      await endWait();
      await expect.poll(() => statusOf(approvalId)).toBe("approved");
      await expect.poll(count).toBe(before - 1);
      expect(sent).toHaveLength(1);
      expectClean();
      await close();
    });

    it("is sent at once where the page is left", async () => {
      const name = unique("Cleo");
      const approvalId = await request(name);
      const { page, approve, close } = await openInbox(name);
      await approve();
      expect(await statusOf(approvalId)).toBe("pending");
      await page.goto("about:blank");
      await expect.poll(() => statusOf(approvalId)).toBe("approved");
      await close();
    });

    it("is refused in words without a connection, which the page asks about before it is left", async () => {
      const name = unique("Dora");
      const approvalId = await request(name);
      const { page, context, sent, count, approve, endWait, close } = await openInbox(name);
      const before = await count();
      await context.setOffline(true);
      await page.getByText("Connection lost. Reconnecting…").waitFor();
      await approve();
      const asked = page.waitForEvent("dialog");
      await page.close({ runBeforeUnload: true });
      const dialog = await asked;
      expect(dialog.type()).toBe("beforeunload");
      await dialog.dismiss();
      await endWait();
      await page.getByText(`Not done: Approved: ${name}. You're offline. Nothing was sent.`).waitFor();
      expect(sent).toHaveLength(1);
      await context.setOffline(false);
      await page.locator(".live-mark.live").waitFor();
      // It is not sent later by itself.
      await expect.poll(count).toBe(before);
      expect(sent).toHaveLength(1);
      expect(await statusOf(approvalId)).toBe("pending");
      await close();
    });

    it("is refused in words where somebody else has decided meanwhile", async () => {
      const name = unique("Elsa");
      const approvalId = await request(name);
      const { page, approve, endWait, expectClean, close } = await openInbox(name);
      await approve();
      await board.service.admin.approvals.reject({ approvalId });
      await endWait();
      await page.getByText(`Not done: Approved: ${name}.`).waitFor();
      await page.getByRole("link", { name, exact: true }).waitFor({ state: "detached" });
      expect(await statusOf(approvalId)).toBe("rejected");
      expectClean({ refusals: [409] });
      await close();
    });
  });
});
