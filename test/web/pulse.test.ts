import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Board, startBoard } from "./board.ts";
import { chromiumPath } from "./chromium.ts";
import { holdRequests } from "./hold-requests.ts";

describe.skipIf(chromiumPath === null)("The pulse on the board page", () => {
  let board: Board;
  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "pulse-"));
    board = await startBoard({ role: "all" });
  });
  afterAll(async () => {
    await board?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it("shows the last line of a program as the stream tells of it, without reading the pulse again", async () => {
    const { admin } = board.service;
    const { id: companyId, issuePrefix } = await admin.companies.create({ name: "Harbour Works" });
    const own = mkdtempSync(join(folder, "own-"));
    const wait = (name: string) => `until [ -e ${join(own, name)} ]; do sleep 0.1; done`;
    const { id: assigneeAgentId } = await admin.agents.create({
      companyId,
      name: "Ada",
      adapterType: "process",
      adapterConfig: {
        command: "/bin/sh",
        args: ["-c", `echo I begin; ${wait("more")}; echo I go on; ${wait("end")}; echo I end`],
      },
    });
    const { page, expectClean, close } = await board.signedIn(`/${issuePrefix}/pulse`);
    await admin.issues.create({ companyId, title: "Mend the net", status: "todo", assigneeAgentId });
    const line = page.locator(".pulse-line");
    await line.getByText("I begin").waitFor();
    const letIn = await holdRequests(page, "**/pulse");
    writeFileSync(join(own, "more"), "");
    await line.getByText("I go on").waitFor();
    letIn();
    writeFileSync(join(own, "end"), "");
    await line.waitFor({ state: "detached" });
    expectClean();
    await close();
  });

  it("shows the runs of the last six hours by agent, and folds those that nobody must look at", async () => {
    const { admin } = board.service;
    const { id: companyId, issuePrefix } = await admin.companies.create({ name: "Lock Works" });
    const hire = (name: string, end: string) =>
      admin.agents.create({
        companyId,
        name,
        adapterType: "process",
        adapterConfig: { command: "/bin/sh", args: ["-c", end] },
      });
    const [ada] = [await hire("Ada", "exit 3"), await hire("Grace", "exit 0")];
    await admin.issues.create({ companyId, title: "Mend it", status: "todo", assigneeAgentId: ada.id });
    const { page, expectClean, expectAccessible, close } = await board.signedIn(`/${issuePrefix}/pulse`);
    const lane = page.getByRole("list", { name: "Runs of Ada in the last 6 hours" });
    await lane
      .getByRole("link", { name: /^Failed, / })
      .first()
      .waitFor();
    const agents = page.getByRole("region", { name: "Agents" });
    expect(await agents.getByText("Grace").count()).toBe(0);
    await expectAccessible();
    await agents.getByRole("button", { name: "Idle 1" }).click();
    await agents.getByRole("link", { name: "Grace" }).waitFor();
    await lane.getByRole("link").last().click();
    await page.waitForURL(/\/runs\//);
    expectClean();
    await close();
  });

  it("leads to the list of decisions that an agent waits for by one link", async () => {
    const { admin } = board.service;
    const { id: companyId, issuePrefix } = await admin.companies.create({ name: "Dock Works" });
    const { id: agentId } = await admin.agents.create({
      companyId,
      name: "Ada",
      adapterType: "process",
      adapterConfig: { command: "/bin/true" },
    });
    const asAda = board.service.as((await admin.agents.createKey({ agentId, name: "test" })).token);
    for (const title of ["One", "Two", "Three", "Four", "Five"])
      await asAda.approvals.create({ companyId, type: "approve_ceo_strategy", payload: { title } });
    const { page, expectClean, close } = await board.signedIn(`/${issuePrefix}/pulse`);
    const why = page.locator(".pulse-why");
    await why.getByText("Waiting for 5 of your decisions.").waitFor();
    expect(await why.getByRole("link").allTextContents()).toEqual(["View approvals"]);
    expectClean();
    await close();
  });
});
