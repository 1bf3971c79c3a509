import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, it } from "vitest";
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
});
