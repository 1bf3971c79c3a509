import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { aCompany, aPerson, type Board, startBoard } from "./board.ts";
import { chromiumPath } from "./chromium.ts";

describe.skipIf(chromiumPath === null)("The form of an agent on the board page", () => {
  let board: Board;
  beforeAll(async () => {
    board = await startBoard();
  });
  afterAll(() => board?.stop());

  it("hires one with a secret that is made in it, tested before", async () => {
    const { admin } = board.service;
    const { id: companyId, issuePrefix: prefix } = await admin.companies.create({ name: "Diving Works" });
    const { page, expectClean, expectAccessible, close } = await board.signedIn(`/${prefix}/agents?new`);
    const dialog = page.getByRole("dialog", { name: "Hire an agent" });
    await dialog.getByLabel("Name", { exact: true }).fill("Nell");
    await dialog.getByLabel("Title").fill("Diver");
    await dialog.getByLabel("Command").fill("/bin/true");
    await dialog.getByRole("button", { name: "Test environment" }).click();
    // Green is what was tried; what is only told is grey.
    const findings = dialog.getByRole("status").getByRole("listitem");
    await findings.filter({ hasText: "Working directory" }).waitFor();
    expect(
      await findings.evaluateAll((items) =>
        items.map((item) => [item.className, /[A-Z]\w+ \w+/.exec(item.textContent ?? "")?.[0]]),
      ),
    ).toEqual([
      ["info", "The command"],
      ["passed", "Working directory"],
      ["passed", "The command"],
    ]);
    const check = { code: "command", level: "error", message: "No program.", hint: "Run `npm i -g nell`." };
    await page.route(
      "**/test-environment",
      (route) =>
        route.fulfill({
          json: { adapterType: "process", status: "fail", checks: [check], testedAt: new Date() },
        }),
      { times: 1 },
    );
    await dialog.getByRole("button", { name: "Test environment" }).click();
    await dialog.locator("code", { hasText: /^npm i -g nell$/ }).waitFor();
    // The form has the rest filled in, and would hire.
    await dialog.getByRole("button", { name: "Hire agent" }).click();
    const asked = page.getByRole("dialog", { name: "Hire Nell anyway?" });
    await asked.getByText("No program.").waitFor();
    await expectAccessible();
    await asked.getByRole("button", { name: "Cancel" }).click();
    expect(await admin.agents.list({ companyId })).toEqual([]);
    await dialog.getByLabel("Adapter").selectOption({ label: "Claude Code (local)" });
    await dialog.getByLabel("Instructions", { exact: true }).fill("You are **Nell**.");
    await dialog.getByRole("button", { name: "Preview Instructions" }).click();
    await dialog.locator("strong", { hasText: "Nell" }).waitFor();
    await dialog.getByRole("button", { name: "Add a secret" }).click();
    await dialog.getByLabel("Name of variable 1").fill("ANTHROPIC_API_KEY");
    // A row without a secret would be lost: neither the fields nor the JSON are sent with it.
    const hire = dialog.getByRole("button", { name: "Hire agent" });
    const chosen = dialog.getByRole("combobox", { name: "Secret of ANTHROPIC_API_KEY" });
    const missing = "Choose a secret for ANTHROPIC_API_KEY, or remove the row.";
    expect(
      await chosen.evaluate((input) => (input as never as { validationMessage: string }).validationMessage),
    ).toBe(missing);
    await hire.click();
    await dialog.getByRole("tab", { name: "JSON" }).click();
    await dialog.getByText(missing).waitFor();
    expect(await hire.isDisabled()).toBe(true);
    await dialog.getByRole("tab", { name: "Fields" }).click();
    await dialog.getByRole("button", { name: "New secret for ANTHROPIC_API_KEY" }).click();
    const made = page.getByRole("dialog", { name: "New secret" });
    await made.getByLabel("Value", { exact: true }).fill("sk-ant-0123456789");
    await expectAccessible();
    await made.getByRole("button", { name: "Save secret" }).click();
    await expect
      .poll(() => dialog.getByRole("combobox", { name: "Secret of ANTHROPIC_API_KEY" }).inputValue())
      .toBe("ANTHROPIC_API_KEY");
    await dialog.getByLabel("Schedule").selectOption({ label: "Every hour" });
    await dialog.getByText("24 runs a day, even without work").waitFor();
    await dialog.getByLabel("Cost limit per run (USD)").fill("0.50");
    await dialog.getByRole("button", { name: "Hire agent" }).click();
    await page.getByText("Nell hired").waitFor();
    const [secret] = await admin.secrets.list({ companyId });
    const [nell] = await admin.agents.list({ companyId });
    expect(nell).toMatchObject({
      title: "Diver",
      adapterType: "adapter_a_local",
      adapterConfig: {
        instructions: "You are **Nell**.",
        env: { ANTHROPIC_API_KEY: { type: "secret_ref", secretId: secret?.id } },
      },
      runtimeConfig: { heartbeat: { enabled: true, intervalSec: 3_600 }, maxCostCents: 50 },
    });
    // The command of the other adapter is no part of it.
    expect(nell?.adapterConfig).not.toHaveProperty("command");
    await page.getByRole("tab", { name: "Configuration" }).click();
    const shown = page.getByRole("region", { name: "Configuration" });
    await shown.getByRole("link", { name: "ANTHROPIC_API_KEY" }).waitFor();
    await shown.getByText("Claude Code (local)").waitFor();
    expect(await shown.textContent()).not.toContain(secret!.id);
    await expectAccessible();
    expectClean();
    await close();
  });

  it("changes one by the keyboard alone, and leaves what another changed meanwhile", async () => {
    const { admin } = board.service;
    const { prefix, agentId } = await aCompany(board, "Pilot Works", {
      name: "Bea",
      role: "engineer",
      adapterConfig: { command: "/bin/true", timeoutSec: 30, env: { TZ: "UTC" } },
    });
    const { page, expectClean, close } = await board.signedIn(
      `/${prefix}/agents/${agentId}?tab=configuration`,
    );
    await page.getByRole("button", { name: "Edit", exact: true }).press("Enter");
    const dialog = page.getByRole("dialog", { name: "Edit Bea" });
    await dialog.getByLabel("Time limit", { exact: true }).waitFor();
    await page.keyboard.press("Tab");
    await page.keyboard.type("Pilot");
    await admin.agents.update({ agentId, capabilities: "Tides" });
    await dialog.getByText("This agent was edited while you were.").waitFor();
    const fields = dialog.getByRole("tab", { name: "Fields" });
    await fields.focus();
    await page.keyboard.press("ArrowRight");
    const json = dialog.getByLabel("adapterConfig, runtimeConfig and metadata");
    await json.fill('{ "adapterConfig": { "command": "/bin/true", "env": {} }');
    expect(await dialog.getByRole("button", { name: "Save" }).isDisabled()).toBe(true);
    await json.fill('{ "adapterConfig": { "command": "/bin/true", "env": {} } }');
    await page.keyboard.press("Control+Enter");
    await page.getByText("Bea updated. Changes apply from the next run.").waitFor();
    expect(await admin.agents.get({ agentId })).toMatchObject({
      title: "Pilot",
      capabilities: "Tides",
      adapterConfig: { command: "/bin/true" },
    });
    expect((await admin.agents.get({ agentId })).adapterConfig).not.toHaveProperty("timeoutSec");
    expectClean();
    await close();
  });

  it("lets an agent decide in people's place, which owners alone may give it", async () => {
    const { admin } = board.service;
    const { companyId, prefix, agentId } = await aCompany(board, "Library Works", { name: "Gus" });
    const activeGrants = async () =>
      (await admin.grants.list({ companyId }))
        .filter((grant) => grant.agentId === agentId && grant.revokedAt === null)
        .map(({ permission, classes }) => `${permission} ${classes.join(" ")}`)
        .sort();
    const { page, at, expectClean, expectAccessible, close } = await board.signedIn(
      `/${prefix}/agents/${agentId}?tab=configuration`,
    );
    await page.getByRole("button", { name: "Edit", exact: true }).click();
    const dialog = page.getByRole("dialog", { name: "Edit Gus" });
    await dialog.getByLabel("Title").fill("Librarian");
    await dialog.getByLabel("Can decide ownership for").fill("docs, tooling");
    await dialog.getByLabel("Can merge into all repositories").check();
    await expectAccessible();
    await dialog.getByRole("button", { name: "Save" }).click();
    await page.getByText("Gus updated. Changes apply from the next run.").waitFor();
    await page.getByRole("tab", { name: "Access" }).click();
    const delegated = page.getByRole("region", { name: "Delegated decisions" });
    await delegated.getByText("can decide ownership for docs, tooling").waitFor();
    expect(await activeGrants()).toEqual(["code:merge all", "ownership:decide docs tooling"]);
    expect((await admin.agents.get({ agentId })).title).toBe("Librarian");
    await page.goto(at(`/${prefix}/settings`));
    const grants = page.getByRole("region", { name: "Grants" });
    await grants.getByText("Gus can merge into all repositories").waitFor();
    await grants.getByRole("button", { name: "Delegate to an agent" }).click();
    await grants.getByRole("combobox", { name: "Agent" }).fill("Gus");
    // Until the agents are read, Enter chooses none.
    await grants.getByRole("option", { name: "Gus" }).waitFor();
    await page.keyboard.press("Enter");
    await grants.getByLabel("Can merge into all repositories").uncheck();
    await expectAccessible();
    await grants.getByRole("button", { name: "Grant", exact: true }).click();
    await expect.poll(activeGrants).toEqual(["ownership:decide docs tooling"]);
    await grants.getByText("Gus can merge into all repositories").waitFor({ state: "detached" });
    expectClean();
    await close();
    const { token } = await aPerson(board, companyId, "Olga", "operator");
    const other = await board.signedIn(`/${prefix}/agents/${agentId}?tab=configuration`, { token });
    await other.page.getByRole("button", { name: "Edit", exact: true }).click();
    await other.page.getByRole("dialog").getByLabel("Title").waitFor();
    expect(await other.page.getByLabel("Can decide ownership for").count()).toBe(0);
    other.expectClean();
    await other.close();
  });

  it("shows a refusal at its field", async () => {
    const { prefix } = await aCompany(board, "Harbour Works");
    const { page, expectClean, close } = await board.signedIn(`/${prefix}/agents?new`);
    const dialog = page.getByRole("dialog", { name: "Hire an agent" });
    await dialog.getByLabel("Name", { exact: true }).fill("Cy");
    await dialog.getByLabel("Command").fill("/bin/true");
    await dialog.getByLabel("Time limit", { exact: true }).fill("none");
    await dialog.getByRole("button", { name: "Hire agent" }).click();
    await dialog.getByRole("alert").getByText("adapterConfig.timeoutSec must be a number").waitFor();
    expect(await dialog.getByLabel("Time limit", { exact: true }).getAttribute("aria-invalid")).toBe("true");
    expectClean({ refusals: [422] });
    await close();
  });

  it("asks before a rollback leads stored secrets to another host", async () => {
    const { admin } = board.service;
    const { companyId, prefix } = await aCompany(board, "Pilot Works");
    const { id: secretId } = await admin.secrets.create({
      companyId,
      name: "Key",
      value: "s3cret-of-pilots",
    });
    const KEY = { type: "secret_ref", secretId, version: "latest" } as const;
    const [earlier, later] = ["https://one.example", "https://two.example"];
    const { id: agentId } = await admin.agents.create({
      ...{ companyId, name: "Pia", adapterType: "process" },
      adapterConfig: { command: "true", env: { API_URL: earlier, KEY } },
    });
    await admin.agents.update({ agentId, adapterConfig: { env: { API_URL: later, KEY } } });
    const address = async () =>
      ((await admin.agents.get({ agentId })).adapterConfig.env as { API_URL: unknown }).API_URL;
    const { page, expectClean, expectAccessible, close } = await board.signedIn(
      `/${prefix}/agents/${agentId}?tab=configuration`,
    );
    await page.getByText("Configuration history").click();
    await page.locator(".agent-revision summary").last().click();
    await page.getByRole("button", { name: "Roll back to this" }).click();
    const dialog = page.getByRole("dialog", { name: "Send stored secrets to another host?" });
    await dialog.getByText("KEY").waitFor();
    await expectAccessible();
    expect(JSON.stringify(await address())).toContain(later);
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "hidden" });
    await page.getByRole("button", { name: "Roll back to this" }).click();
    await dialog.getByRole("button", { name: "Roll back" }).click();
    await page.getByText("Configuration rolled back.").waitFor();
    await expect.poll(async () => JSON.stringify(await address())).toContain(earlier);
    expectClean({ refusals: [422] });
    await close();
  });
});
