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
    // One that hasn't come yet is not said to be empty.
    let answer = () => {};
    await page.route(/\/log\?/, async (route) => {
      await new Promise<void>((resolve) => {
        answer = resolve;
      });
      await route.continue();
    });
    await page.getByRole("button", { name: "Raw log" }).click();
    const asked = page.waitForRequest(/\/log\?/);
    await page.getByRole("button", { name: "Raw log" }).click();
    await asked;
    await page.locator("main .skeleton").waitFor();
    expect(await page.getByText(/No output|Show more/).count()).toBe(0);
    answer();
    await page.locator(".run-raw").getByText("Read the gauges.").waitFor();
    await page.unroute(/\/log\?/);
    const next = page.locator(".run-now");
    await next.getByRole("link", { name: "another run" }).waitFor();
    expect(await next.innerText()).not.toContain(nextId!);
    await next.getByRole("link", { name: "another run" }).click();
    await page.waitForURL(`**/runs/${nextId}`);
    expectClean();
    await close();
  });

  it("says that there is no error in a log that was not read to its beginning", async () => {
    const { admin } = board.service;
    const { id: companyId, issuePrefix } = await admin.companies.create({ name: "Sounding Works" });
    const { id: agentId } = await admin.agents.create({
      companyId,
      name: "Ada",
      adapterType: "process",
      adapterConfig: { command: "/bin/sh", args: ["-c", "seq -f 'Sounding %g of the basin' 1 5000"] },
    });
    const { id: runId } = await admin.agents.invoke({ agentId });
    await eventually(
      () => admin.runs.get({ runId: runId! }),
      ({ status }) => status === "succeeded",
    );
    const { page, at, expectClean, close } = await board.signedIn(`/${issuePrefix}/runs/${runId}`);
    await page.getByText("Sounding 5000 of the basin").waitFor();
    await page.getByRole("button", { name: "First error" }).click();
    await page.getByText("No errors", { exact: true }).waitFor();
    // All of it was read: there is nothing left to look for.
    await page.getByRole("button", { name: "First error" }).waitFor({ state: "detached" });
    // Each line has an address, which leads to it however far it is from the end that is read first.
    const line = page.locator(".run-entry", { hasText: /Sounding 120 of the basin$/ });
    await page.goto(at(`/${issuePrefix}/runs/${runId}#L120`));
    await page.reload();
    await line.waitFor();
    expect(await line.getAttribute("class")).toContain(" at");
    const other = page.locator(".run-entry", { hasText: /Sounding 118 of the basin$/ });
    await other.getByRole("link", { name: /^Link to L118,/ }).click();
    expect(new URL(page.url()).hash).toBe("#L118");
    await expect.poll(() => other.getAttribute("class")).toContain(" at");
    expectClean();
    await close();
  });
});
