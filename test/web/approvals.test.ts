import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Client } from "../../hosts/library/client.ts";
import { aCompany, type Board, startBoard } from "./board.ts";
import { chromiumPath } from "./chromium.ts";

describe.skipIf(chromiumPath === null)("Approvals on the board page", () => {
  let board: Board;
  let companyId: string;
  let prefix: string;
  let asAda: Client;
  beforeAll(async () => {
    board = await startBoard();
  });
  beforeEach(async () => {
    const { service } = board;
    const company = await aCompany(board, "Harbour Works");
    ({ companyId, prefix } = company);
    asAda = service.as((await service.admin.agents.createKey({ agentId: company.agentId })).token);
  });
  afterAll(() => board?.stop());

  const strategy = (title: string) =>
    asAda.approvals.create({
      companyId,
      type: "approve_ceo_strategy",
      payload: { title, costPerMonth: 40, summary: "Spend the spring on the cranes." },
    } as never);

  it("are listed with the decided ones, filtered by the address", async () => {
    const { admin } = board.service;
    const decided = await strategy("Repair before rebuild");
    await admin.approvals.reject({ approvalId: decided.id, decisionNote: "Too dear." });
    await strategy("A second quay");
    await asAda.approvals.hire({ companyId, name: "Mary", role: "diver" });
    const { page, at, expectClean, expectAccessible, close } = await board.signedIn(`/${prefix}/approvals`);
    const rows = page.getByRole("row");
    await page.getByRole("link", { name: "Repair before rebuild" }).waitFor();
    expect(await rows.count()).toBe(4);
    await page.getByRole("button", { name: "Filter by status" }).click();
    await page.getByRole("menuitemradio", { name: "Pending" }).click();
    await expect.poll(() => rows.count()).toBe(3);
    await page.getByRole("button", { name: "Filter by type" }).click();
    await page.getByRole("menuitemradio", { name: "Hire an agent" }).click();
    await expect.poll(() => rows.count()).toBe(2);
    expect(page.url()).toBe(at(`/${prefix}/approvals?status=pending&type=hire_agent`));
    await expectAccessible();
    await page.goto(at(`/${prefix}/approvals?status=approved`));
    await page.getByText("No approvals match your filters").waitFor();
    await page.getByRole("link", { name: "Clear filters" }).click();
    await page.getByRole("link", { name: "Repair before rebuild" }).click();
    await page.getByRole("heading", { name: "Repair before rebuild" }).waitFor();
    await page.getByText("Too dear.").waitFor();
    // The agent's name of a field is shown as words.
    await page.getByText("Cost per month").waitFor();
    await expectAccessible();
    expectClean();
    await close();
  });
});
