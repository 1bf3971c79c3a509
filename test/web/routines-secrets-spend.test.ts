import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Board, startBoardWithAgent } from "./board.ts";
import { chromiumPath } from "./chromium.ts";

describe.skipIf(chromiumPath === null)("Routines, secrets and spend on the board page", () => {
  let board: Board;
  let companyId: string;
  let agentId: string;
  beforeAll(async () => {
    ({ board, companyId, agentId } = await startBoardWithAgent());
  });
  afterAll(() => board?.stop());

  it("show a schedule as it was typed with its next ticks, and the secret of a webhook once", async () => {
    const { page, expectClean, expectAccessible, close } = await board.signedIn("/HAR/routines");
    await page.getByRole("button", { name: "New routine" }).click();
    await page.getByLabel("Title").fill("Grease the cranes");
    await page.getByRole("combobox", { name: "Assignee" }).fill("Ada");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    // Until the projects are read, the form offers to choose one.
    await page.getByRole("textbox", { name: "Project" }).fill("Cranes");
    await page.getByRole("button", { name: "Create routine" }).click();
    await page.getByRole("heading", { name: "Grease the cranes" }).waitFor();

    await page.getByRole("button", { name: "A trigger:" }).click();
    await page.getByRole("menuitem", { name: "Schedule" }).click();
    await page.getByLabel("Cron expression").fill("0   9 * * MON");
    await page.getByText("At 09:00, only on Monday").waitFor();
    await page.getByLabel("Time zone").fill("lagos");
    await page.getByRole("button", { name: "Add schedule" }).click();
    await expect.poll(() => page.locator(".routine-preview li").count()).toBe(5);
    expect(await page.getByLabel("Cron expression").inputValue()).toBe("0   9 * * MON");
    expect(await page.locator(".routine-preview li").first().textContent()).toContain("09:00");
    await page.getByRole("button", { name: "Done" }).click();
    expect(await page.locator(".routine-cron").textContent()).toBe("0   9 * * MON");
    await page.getByText("Africa/Lagos", { exact: true }).waitFor();

    await page.getByRole("button", { name: "A trigger:" }).click();
    await page.getByRole("menuitem", { name: "Webhook" }).click();
    await page.getByRole("button", { name: "Add webhook" }).click();
    const secret = await page.locator(".once dd code").last().textContent();
    expect(secret).toMatch(/^\w{32,}$/);
    // A key that slipped does not lose it.
    await page.keyboard.press("Escape");
    await page.getByText("Copy it, or say that you have it.").waitFor();
    await page.getByRole("button", { name: "I have it" }).click();
    expect(await page.content()).not.toContain(secret);
    await page.getByRole("button", { name: "Run now" }).click();
    await page
      .getByRole("link", { name: /HAR-1 / })
      .first()
      .waitFor();
    await page.getByRole("link", { name: "Routines" }).first().click();
    await page.getByRole("heading", { name: "Coming" }).waitFor();
    await page.getByText("09:00 GMT+1 Africa/Lagos").first().waitFor();
    await expectAccessible();
    expectClean();
    await close();
  });

  it("keep a secret without showing its value, and name the agents that need it before its deletion", async () => {
    const { page, expectClean, expectAccessible, close } = await board.signedIn("/HAR/secrets");
    await page.getByRole("button", { name: "New secret" }).click();
    await page.getByLabel("Name").fill("Crane key");
    await page.getByLabel("Value").fill("a-value-of-some-length");
    await page.getByRole("button", { name: "Keep secret" }).click();
    await page.getByRole("button", { name: "Crane key", exact: true }).waitFor();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect(await page.content()).not.toContain("a-value-of-some-length");
    const { admin } = board.service;
    const [kept] = await admin.secrets.list({ companyId });
    await admin.agents.update({
      agentId,
      adapterConfig: { env: { CRANE: { type: "secret_ref", secretId: kept!.id, version: "latest" } } },
    });
    await page.getByRole("button", { name: "Change Crane key" }).click();
    await page.getByRole("menuitem", { name: "Delete" }).click();
    await page.getByRole("dialog").getByText("env.CRANE").waitFor();
    await page.getByRole("button", { name: "Delete", exact: true }).click();
    await page.getByRole("heading", { name: "Keep what agents must know" }).waitFor();
    expect(await admin.secrets.list({ companyId })).toEqual([]);
    await expectAccessible();
    expectClean();
    await close();
  });

  it("show use of unknown cost apart from the costs, and let an owner set a budget", async () => {
    const { admin } = board.service;
    const used = { companyId, agentId, provider: "anthropic", model: "opus", inputTokens: 1000 };
    await admin.costs.report({ ...used, costCents: 4827 });
    await admin.costs.report({ ...used, inputTokens: 2000 });
    const { page, expectClean, expectAccessible, close } = await board.signedIn("/HAR/spend");
    await page.getByText("US$48.27").first().waitFor();
    await page.getByText("in 1 event; not part of the sums above").waitFor();
    await page.getByRole("button", { name: "Change budget" }).click();
    await page.getByLabel("Dollars a month").fill("60");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("80 % used").waitFor();
    expect((await admin.companies.get({ companyId })).budgetMonthlyCents).toBe(6000);
    await expectAccessible();
    expectClean();
    await close();
  });
});
