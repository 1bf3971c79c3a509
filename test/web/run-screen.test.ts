import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually } from "../support/eventually.ts";
import { type Board, startBoard } from "./board.ts";
import { chromiumPath } from "./chromium.ts";

describe.skipIf(chromiumPath === null)("The page of a run", () => {
  let board: Board;
  beforeAll(async () => {
    board = await startBoard({ role: "all" });
  });
  afterAll(() => board?.stop());

  it("links the run that followed, and shows no id of one", async () => {
    const { admin } = board.service;
    const { id: companyId, issuePrefix } = await admin.companies.create({ name: "Harbour Works" });
    const { id: agentId } = await admin.agents.create({
      companyId,
      name: "Ada",
      adapterType: "process",
      adapterConfig: { command: "/bin/sh", args: ["-c", "echo Read the gauges.; exit 3"] },
    });
    const { id: runId } = await admin.agents.invoke({ agentId });
    const ended = (id: string) =>
      eventually(
        () => admin.runs.get({ runId: id }),
        ({ status }) => status === "failed",
      );
    await ended(runId!);
    const { id: nextId } = await admin.runs.retry({ runId: runId! });
    await ended(nextId!);
    const { page, expectClean, close } = await board.signedIn(`/${issuePrefix}/runs/${runId}`);
    // A log that has ended, and is shown whole, offers no more.
    await page.getByRole("button", { name: "Raw log" }).click();
    await page.locator(".run-raw").getByText("Read the gauges.").waitFor();
    expect(await page.getByRole("button", { name: "Show more" }).count()).toBe(0);
    const next = page.locator(".run-now");
    await next.getByRole("link", { name: "another run" }).waitFor();
    expect(await next.innerText()).not.toContain(nextId!);
    await next.getByRole("link", { name: "another run" }).click();
    await page.waitForURL(`**/runs/${nextId}`);
    expectClean();
    await close();
  });
});
