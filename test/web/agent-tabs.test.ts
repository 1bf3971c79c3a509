import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually } from "../support/service.ts";
import { aCompany, type Board, startBoard } from "./board.ts";
import { chromiumPath } from "./chromium.ts";

describe.skipIf(chromiumPath === null)("The tabs of an agent on the board page", () => {
  let board: Board;
  beforeAll(async () => {
    board = await startBoard({ role: "all" });
  });
  afterAll(() => board?.stop());

  const anAgentWithRun = async () => {
    const { admin } = board.service;
    const there = await aCompany(board, "Harbour Works", { adapterConfig: { command: "true" } });
    const { id: runId } = await admin.agents.invoke({ agentId: there.agentId });
    await eventually(
      () => admin.runs.get({ runId: runId! }),
      ({ finishedAt }) => finishedAt !== null,
    );
    return { ...there, runId: runId! };
  };

  it("are in the address, so that a reload, a link and Back show the one that was shown", async () => {
    const { prefix, agentId } = await anAgentWithRun();
    const path = `/${prefix}/agents/${agentId}`;
    const { page, at, expectClean, expectAccessible, close } = await board.signedIn(path);
    const panel = (name: string) => page.getByRole("tabpanel", { name });
    await panel("Overview").getByRole("table", { name: "Last runs" }).waitFor();
    await panel("Overview").getByRole("link", { name: "View all runs" }).click();
    await panel("Runs").getByRole("button", { name: "Filter by status" }).waitFor();
    expect(await page.getByRole("button", { name: "Filter by agent" }).count()).toBe(0);
    expect(page.url()).toBe(at(`${path}?tab=runs`));
    // The link is gone with its tab.
    await expect.poll(() => page.locator(":focus").textContent()).toBe("Runs");
    await panel("Runs").getByRole("button", { name: "Filter by status" }).click();
    await page.getByRole("menu").getByText("Failed", { exact: true }).click();
    await page.keyboard.press("Escape");
    await panel("Runs").getByRole("link", { name: "Clear filters" }).click();
    await panel("Runs").getByRole("table", { name: "Runs" }).getByText("Succeeded").waitFor();
    await page.getByRole("tab", { name: "Access" }).click();
    await panel("Access").getByRole("heading", { name: "Always allowed" }).waitFor();
    await expectAccessible();
    await page.reload();
    await panel("Access").getByRole("heading", { name: "Always allowed" }).waitFor();
    await page.goBack();
    await panel("Runs").waitFor();
    await page.goto(at(`${path}?tab=tides`));
    await panel("Overview").waitFor();
    expectClean();
    await close();
  });

  it("change by the arrows, each with its own content, and load nothing that is not shown", async () => {
    const { prefix, agentId } = await anAgentWithRun();
    const shown = await board.signedIn(`/${prefix}/agents/${agentId}`);
    const { page, expectClean, expectAccessible, close } = shown;
    await page.getByRole("table", { name: "Last runs" }).waitFor();
    const asked: string[] = [];
    page.on("request", (request) => asked.push(new URL(request.url()).pathname));
    await page.reload();
    await page.getByRole("table", { name: "Last runs" }).waitFor();
    await page.locator(".live-mark.live").waitFor();
    for (const part of ["keys", "skills", "mcp-servers", "config-revisions", "grants"])
      expect(asked.filter((path) => path.endsWith(`/${part}`))).toEqual([]);
    await page.getByRole("tab", { name: "Overview" }).focus();
    const contents = [
      ["Runs", page.getByRole("table", { name: "Runs", exact: true })],
      ["Configuration", page.getByRole("heading", { name: "Skills" })],
      ["Access", page.getByRole("heading", { name: "API keys" })],
      ["Spend", page.getByText("No spend yet")],
      ["Overview", page.getByRole("heading", { name: "Current issue" })],
    ] as const;
    for (const [name, content] of contents) {
      await page.keyboard.press("ArrowRight");
      await content.waitFor();
      expect(await page.getByRole("tab", { selected: true }).textContent()).toBe(name);
      expect(await page.locator(":focus").textContent()).toBe(name);
      await expectAccessible();
    }
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox").fill("wake ada");
    await page.getByRole("option", { name: "Wake Ada" }).waitFor();
    expectClean();
    await close();
  });

  it("scroll sideways on a phone, whose page is no wider for them", async () => {
    const { prefix, agentId } = await anAgentWithRun();
    const { page, expectClean, close } = await board.signedIn(`/${prefix}/agents/${agentId}?tab=spend`, {
      viewport: { width: 320, height: 640 },
    });
    const spend = page.getByRole("tab", { name: "Spend" });
    await spend.waitFor();
    await expect
      .poll(async () => {
        const box = (await spend.boundingBox())!;
        return box.x >= 0 && box.x + box.width <= 320;
      })
      .toBe(true);
    expect(await page.evaluate("document.scrollingElement.scrollWidth")).toBe(320);
    expectClean();
    await close();
  });
});
