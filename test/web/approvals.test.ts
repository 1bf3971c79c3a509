import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Client } from "../../hosts/library/client.ts";
import { type Board, startBoard } from "./board.ts";
import { chromiumPath } from "./chromium.ts";

describe.skipIf(chromiumPath === null)("Approvals on the board page", () => {
  let board: Board;
  let companyId: string;
  let asAda: Client;
  beforeAll(async () => {
    board = await startBoard();
    const { admin } = board.service;
    ({ id: companyId } = await admin.companies.create({ name: "Harbour Works" }));
    const { id } = await admin.agents.create({
      companyId,
      name: "Ada",
      adapterType: "process",
      adapterConfig: { command: "true" },
    });
    asAda = board.service.as((await admin.agents.createKey({ agentId: id })).token);
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
    const { page, at, expectClean, expectAccessible, close } = await board.signedIn("/HAR/approvals");
    const rows = page.getByRole("row");
    await page.getByRole("link", { name: "Repair before rebuild" }).waitFor();
    expect(await rows.count()).toBe(4);
    await page.getByRole("button", { name: "Filter by status" }).click();
    await page.getByRole("menuitemradio", { name: "Pending" }).click();
    await expect.poll(() => rows.count()).toBe(3);
    await page.getByRole("button", { name: "Filter by type" }).click();
    await page.getByRole("menuitemradio", { name: "Hire an agent" }).click();
    await expect.poll(() => rows.count()).toBe(2);
    expect(page.url()).toBe(at("/HAR/approvals?status=pending&type=hire_agent"));
    await expectAccessible();
    await page.goto(at("/HAR/approvals?status=approved"));
    await page.getByText("No approval is like that").waitFor();
    await page.getByRole("link", { name: "Clear the filters" }).click();
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
