import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { aCompany, type Board, startBoard } from "./board.ts";
import { chromiumPath } from "./chromium.ts";

describe.skipIf(chromiumPath === null)("The budget of an agent on the board page", () => {
  let board: Board;
  beforeAll(async () => {
    board = await startBoard();
  });
  afterAll(() => board?.stop());

  it("is set where it shows, before anything was spent", async () => {
    const { prefix, agentId } = await aCompany(board, "Harbour Works");
    const { page, expectClean, expectAccessible, close } = await board.signedIn(
      `/${prefix}/agents/${agentId}`,
    );
    await page.getByText("No limit").waitFor();
    await page.getByRole("button", { name: "Edit the budget of Ada" }).click();
    const dialog = page.getByRole("dialog", { name: "Monthly budget of Ada" });
    await dialog.getByLabel("Monthly budget (USD)").fill("1.50");
    await expectAccessible();
    await page.keyboard.press("Enter");
    await page.getByRole("region", { name: "Facts" }).getByText("$1.50").waitFor();
    expect((await board.service.admin.agents.get({ agentId })).budgetMonthlyCents).toBe(150);
    expectClean();
    await close();
  });

  it("opens where it still holds the agent that is resumed, and nothing says that it was", async () => {
    const { admin } = board.service;
    const { companyId, prefix, agentId } = await aCompany(board, "Quay Works", { budgetMonthlyCents: 100 });
    await admin.agents.pause({ agentId });
    const { page, expectClean, close } = await board.signedIn(`/${prefix}/agents/${agentId}`);
    const resume = page.getByRole("button", { name: "Resume" });
    await resume.waitFor();
    await admin.costs.report({ companyId, agentId, provider: "local", model: "m", costCents: 200 });
    // The page offers to resume what somebody has paused; the budget holds it too.
    await expect.poll(async () => (await admin.agents.get({ agentId })).spentMonthlyCents).toBe(200);
    if ((await admin.agents.get({ agentId })).pauseReason === "manual") await resume.click();
    else await page.getByRole("button", { name: "Edit budget", exact: true }).click();
    const dialog = page.getByRole("dialog", { name: "Monthly budget of Ada" });
    await dialog.getByLabel("Monthly budget (USD)").fill("10");
    expect(await page.getByText("Ada resumed").count()).toBe(0);
    await page.keyboard.press("Enter");
    await expect.poll(async () => (await admin.agents.get({ agentId })).status).toBe("idle");
    expectClean();
    await close();
  });

  it("is opened by the entry of the inbox that it stops", async () => {
    const { admin } = board.service;
    const { companyId, prefix, agentId } = await aCompany(board, "Pier Works", { budgetMonthlyCents: 100 });
    await admin.costs.report({ companyId, agentId, provider: "local", model: "m", costCents: 200 });
    const { page, expectClean, close } = await board.signedIn(`/inbox?company=${prefix}`);
    await page.getByRole("button", { name: "Edit budget" }).click();
    const dialog = page.getByRole("dialog", { name: "Monthly budget of Ada" });
    await expect.poll(() => dialog.getByLabel("Monthly budget (USD)").inputValue()).toBe("1");
    await dialog.getByLabel("Monthly budget (USD)").fill("20");
    await dialog.getByRole("button", { name: "Save" }).click();
    await expect.poll(() => page.getByRole("button", { name: "Edit budget" }).count()).toBe(0);
    expect((await admin.agents.get({ agentId })).budgetMonthlyCents).toBe(2_000);
    expectClean();
    await close();
  });
});
