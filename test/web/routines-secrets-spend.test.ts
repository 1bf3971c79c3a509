import { readFile } from "node:fs/promises";
import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { toolProgram } from "../support/tool-server.ts";
import { aCompany, type Board, startBoard } from "./board.ts";
import { chromiumPath } from "./chromium.ts";

describe.skipIf(chromiumPath === null)("Routines, secrets and spend on the board page", () => {
  let board: Board;
  beforeAll(async () => {
    board = await startBoard();
  });
  afterAll(() => board?.stop());

  it("show a schedule as it was typed with its next ticks, and the secret of a webhook once", async () => {
    const { companyId, prefix } = await aCompany(board, "Harbour Works");
    const { page, expectClean, expectAccessible, close } = await board.signedIn(`/${prefix}/routines`);
    await page.getByRole("button", { name: "New routine" }).click();
    await page.getByLabel("Title").fill("Grease the cranes");
    await page.getByRole("combobox", { name: "Assignee" }).fill("Ada");
    // Until the agents are read, Enter chooses none.
    await page.getByRole("option", { name: "Ada" }).waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    // Until the projects are read, the form offers to choose one.
    await page.getByRole("textbox", { name: "Project" }).fill("Cranes");
    await page.getByRole("button", { name: "Create routine" }).click();
    await page.getByRole("heading", { name: "Grease the cranes" }).waitFor();

    await page.getByRole("button", { name: "A trigger:" }).click();
    await page.getByRole("menuitem", { name: "Schedule" }).click();
    // It is chosen, or typed.
    await page.getByLabel("Repeats").selectOption("Every week");
    await page.getByLabel("On", { exact: true }).selectOption("Tuesday");
    await page.getByLabel("At", { exact: true }).fill("14:30");
    expect(await page.getByLabel("Cron expression").inputValue()).toBe("30 14 * * tue");
    await expectAccessible();
    await page.getByLabel("Cron expression").fill("0 9 * * mon-wed");
    expect(await page.getByLabel("Repeats").locator(":checked").textContent()).toBe("Custom (cron)");
    await page.getByLabel("Cron expression").fill("0   9 * * MON");
    expect(await page.getByLabel("On", { exact: true }).inputValue()).toBe("mon");
    await page.getByText("At 09:00, only on Monday").waitFor();
    await page.getByLabel("Time zone").fill("lagos");
    await page.getByRole("button", { name: "Add schedule" }).click();
    // Until the service answers, the ticks of the expression before are shown.
    await page.locator(".routine-preview li", { hasText: "09:00" }).nth(4).waitFor();
    expect(await page.getByLabel("Cron expression").inputValue()).toBe("0   9 * * MON");
    await page.getByRole("button", { name: "Done" }).click();
    expect(await page.locator(".routine-cron").textContent()).toBe("0   9 * * MON");
    await page.getByText("Africa/Lagos", { exact: true }).waitFor();

    await page.getByRole("button", { name: "A trigger:" }).click();
    await page.getByRole("menuitem", { name: "Webhook" }).click();
    await page.getByLabel("Authentication").selectOption({ label: "HMAC-SHA256 (timestamp and body)" });
    await page.getByLabel("Replay window in seconds").fill("600");
    await page.getByRole("button", { name: "Add webhook" }).click();
    const secret = await page.locator(".once dd code").last().textContent();
    expect(secret).toMatch(/^\w{32,}$/);
    // A key that slipped does not lose it.
    await page.keyboard.press("Escape");
    await page.getByText("Copy it now, then choose Done.").waitFor();
    await page.getByRole("button", { name: "Done" }).click();
    expect(await page.content()).not.toContain(secret);
    const webhook = async () => {
      const [routine] = await board.service.admin.routines.list({ companyId });
      const { triggers } = await board.service.admin.routines.get({ routineId: routine!.id });
      return triggers.find(({ kind }) => kind === "webhook");
    };
    expect(await webhook()).toMatchObject({ signingMode: "hmac_sha256", replayWindowSec: 600 });
    await page.getByRole("button", { name: "Change Webhook" }).click();
    await page.getByRole("menuitem", { name: "Edit" }).click();
    await page.getByLabel("Replay window in seconds").fill("120");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await expect.poll(webhook).toMatchObject({ signingMode: "hmac_sha256", replayWindowSec: 120 });
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Run now" }).click();
    await page
      .getByRole("link", { name: `${prefix}-1 ` })
      .first()
      .waitFor();
    await page.getByRole("link", { name: "Routines" }).first().click();
    await page.getByRole("heading", { name: "Upcoming" }).waitFor();
    await page.getByText("09:00 GMT+1 Africa/Lagos").first().waitFor();
    await expectAccessible();
    expectClean();
    await close();
  });

  it("run and activate a routine only while the service would take it", async () => {
    const { admin } = board.service;
    const { companyId, prefix, agentId } = await aCompany(board, "Slipway Works");
    const { id: projectId } = await admin.projects.create({ companyId, name: "Slips" });
    const { id } = await admin.routines.create({
      companyId,
      title: "Grease it",
      assigneeAgentId: agentId,
      projectId,
    });
    const { page, expectClean, close } = await board.signedIn(`/${prefix}/routines/${id}`);
    await page.getByRole("button", { name: "Run now", disabled: false }).waitFor();
    await admin.companies.pause({ companyId });
    await page.getByRole("button", { name: "Run now", disabled: true }).waitFor();
    await admin.companies.resume({ companyId });
    await page.getByRole("button", { name: "Run now", disabled: false }).waitFor();
    await admin.projects.archive({ projectId });
    await page.getByRole("button", { name: "Run now", disabled: true }).waitFor();
    await admin.routines.update({ routineId: id, status: "paused" });
    await page.getByRole("button", { name: "Activate", disabled: false }).waitFor();
    await admin.agents.terminate({ agentId });
    await page.getByRole("button", { name: "Activate", disabled: true }).waitFor();
    expectClean();
    await close();
  });

  it("enable a disabled vault, also of a provider that has not shipped", async () => {
    const { admin } = board.service;
    const { companyId, prefix } = await aCompany(board, "Lock Works");
    const { id: vaultId } = await admin.vaults.create({
      companyId,
      provider: "cloud_b_secret_manager",
      displayName: "Later",
      config: {},
    });
    await admin.vaults.disable({ vaultId });
    const { page, expectClean, close } = await board.signedIn(`/${prefix}/secrets`);
    await page.getByRole("button", { name: "Change Later" }).click();
    await page.getByRole("menuitem", { name: "Enable" }).click();
    await expect.poll(async () => (await admin.vaults.get({ vaultId })).status).toBe("coming_soon");
    expectClean();
    await close();
  });

  it("import secrets only from a vault whose check found no error", async () => {
    const { admin, databaseUrl } = board.service;
    const { companyId, prefix } = await aCompany(board, "Weir Works");
    const provider = "cloud_a_secrets_manager";
    const config = { region: "eu-central-1" };
    const { id } = await admin.vaults.create({ companyId, provider, displayName: "Cloud", config });
    const sql = postgres(databaseUrl, { max: 1 });
    const { page, expectClean, close } = await board.signedIn(`/${prefix}/secrets`);
    const offered = async (status: string) => {
      await sql`update vaults set status = ${status} where id = ${id}`;
      await page.reload();
      await page.getByRole("button", { name: "Change Cloud" }).click();
      await page.getByRole("menuitem", { name: "Rename" }).waitFor();
      return (await page.getByRole("menuitem", { name: "Import secrets" }).count()) === 1;
    };
    expect([await offered("error"), await offered("warning")]).toEqual([false, true]);
    await sql.end();
    expectClean();
    await close();
  });

  it("change the name, key and notes of a secret, the metadata of a linked one, and disable a version", async () => {
    const { admin } = board.service;
    const { companyId, prefix } = await aCompany(board, "Winch Works");
    const { id: secretId } = await admin.secrets.create({
      companyId,
      name: "Winch",
      value: "old-value-of-it",
    });
    await admin.secrets.rotate({ secretId, value: "new-value-of-it" });
    await admin.secrets.update({ secretId, providerMetadata: { owner: "docks" } });
    const { page, expectClean, expectAccessible, close } = await board.signedIn(`/${prefix}/secrets`);
    await page.getByRole("button", { name: "Winch", exact: true }).click();
    const details = page.getByRole("dialog", { name: "Winch" });
    await details.getByText('"owner": "docks"').waitFor();
    const first = details.locator(".secrets-version", { hasText: /^1/ });
    await first.getByRole("button", { name: "Disable" }).click();
    await first.getByRole("button", { name: "Enable" }).waitFor();
    expect((await admin.secrets.versions({ secretId })).items.map(({ status }) => status)).toEqual([
      "current",
      "disabled",
    ]);
    await expectAccessible();
    await details.getByRole("button", { name: "Edit" }).click();
    const form = page.getByRole("dialog", { name: "Edit Winch" });
    await form.getByLabel("Name").fill("Capstan");
    await form.getByLabel("Key").fill("CAPSTAN");
    await form.getByLabel("Notes").fill("Of the docks.\nAsk Bob.");
    await form.getByLabel("Provider metadata").fill("{");
    await form.getByText("Enter a JSON object.").waitFor();
    expect(await form.getByRole("button", { name: "Save" }).isDisabled()).toBe(true);
    await form.getByLabel("Provider metadata").fill('{ "owner": "quay" }');
    await expectAccessible();
    await form.getByRole("button", { name: "Save" }).click();
    await page.getByText("Capstan updated").waitFor();
    expect((await admin.secrets.list({ companyId })).find(({ id }) => id === secretId)).toMatchObject({
      name: "Capstan",
      key: "CAPSTAN",
      description: "Of the docks.\nAsk Bob.",
      providerMetadata: { owner: "quay" },
    });
    await page.getByRole("button", { name: "Capstan", exact: true }).click();
    await page.getByRole("dialog", { name: "Capstan" }).getByText("Ask Bob.").waitFor();
    expectClean();
    await close();
  });

  it("keep a secret without showing its value, and name all that needs it before its deletion", async () => {
    const { companyId, prefix, agentId } = await aCompany(board, "Key Works");
    const { page, expectClean, expectAccessible, close } = await board.signedIn(`/${prefix}/secrets`);
    await page.getByRole("button", { name: "New secret" }).click();
    await page.getByLabel("Name").fill("Crane key");
    await page.getByLabel("Value", { exact: true }).fill("a-value-of-some-length");
    await page.getByRole("button", { name: "Save secret" }).click();
    await page.getByRole("button", { name: "Crane key", exact: true }).waitFor();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect(await page.content()).not.toContain("a-value-of-some-length");
    const { admin } = board.service;
    const [stored] = await admin.secrets.list({ companyId });
    await admin.agents.update({
      agentId,
      adapterConfig: { env: { CRANE: { type: "secret_ref", secretId: stored!.id, version: "latest" } } },
    });
    await admin.mcpServers.create({
      companyId,
      name: "tides",
      command: process.execPath,
      args: ["-e", toolProgram],
      env: { SCALES_KEY: { type: "secret_ref", secretId: stored!.id } },
    });
    await page.getByRole("cell", { name: "1 binding, 1 MCP server" }).waitFor();
    await page.getByRole("button", { name: "Crane key", exact: true }).click();
    await page.getByRole("region", { name: "Used by" }).getByRole("link", { name: "tides" }).waitFor();
    await page.getByRole("button", { name: "Close" }).last().click();
    await page.getByRole("button", { name: "Change Crane key" }).click();
    await page.getByRole("menuitem", { name: "Delete" }).click();
    await page.getByRole("dialog").getByText("env.CRANE").waitFor();
    await page.getByRole("dialog").getByText("Runs will start without these MCP servers:").waitFor();
    await page.getByRole("dialog").getByText("tides").waitFor();
    await page.getByRole("button", { name: "Delete", exact: true }).click();
    await page.getByRole("heading", { name: "Add your first secret" }).waitFor();
    expect(await admin.secrets.list({ companyId })).toEqual([]);
    await expectAccessible();
    expectClean();
    await close();
  });

  it("show use of unknown cost apart from the costs, and let an owner set a budget", async () => {
    const { admin } = board.service;
    const { companyId, prefix, agentId } = await aCompany(board, "Spend Works");
    const used = { companyId, agentId, provider: "anthropic", model: "opus", inputTokens: 1000 };
    await admin.costs.report({ ...used, costCents: 4827 });
    await admin.costs.report({ ...used, inputTokens: 2000 });
    // The first of the month before is compared on each day of this one.
    const before = new Date();
    before.setUTCMonth(before.getUTCMonth() - 1, 1);
    await admin.costs.report({ ...used, costCents: 2000, occurredAt: before.toISOString() });
    const { page, expectClean, expectAccessible, close } = await board.signedIn(`/${prefix}/spend`);
    await page.getByText("$48.27").first().waitFor();
    await page.getByText("1 event without cost, not included").waitFor();
    await page.getByText(/^141 % more than in .+ \(\$20\.00\)$/).waitFor();
    await page.getByRole("button", { name: "Edit budget" }).click();
    await page.getByLabel("Monthly budget (USD)").fill("60");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("80% used").waitFor();
    expect((await admin.companies.get({ companyId })).budgetMonthlyCents).toBe(6000);
    await expectAccessible();
    expectClean();
    await close();
  });

  it("show costs of a range of days, by agent and day, and save them as CSV", async () => {
    const { admin } = board.service;
    const { id, issuePrefix: prefix } = await admin.companies.create({ name: "Range" });
    const hired = async (name: string) =>
      (
        await admin.agents.create({
          companyId: id,
          name,
          adapterType: "process",
          adapterConfig: { command: "true" },
        })
      ).id;
    const [ada, grace] = [await hired("Ada"), await hired('=Grace "G"')];
    const spent = (agent: string, day: string, costCents: number) =>
      admin.costs.report({
        companyId: id,
        agentId: agent,
        provider: "anthropic",
        model: "opus",
        costCents,
        occurredAt: `${day}T12:00:00Z`,
      });
    await spent(ada, "2026-10-30", 100);
    await spent(ada, "2026-11-02", 250);
    await spent(grace, "2026-11-02", 400);
    await spent(grace, "2026-11-05", 9900);
    const { page, at, expectClean, expectAccessible, close } = await board.signedIn(`/${prefix}/spend`);
    await page.getByLabel("From").fill("2026-10-30");
    await page.getByLabel("to", { exact: true }).fill("2026-10-01");
    await page.getByText("Choose 1 to 366 days.").waitFor();
    expect(await page.getByRole("button", { name: "Apply" }).isDisabled()).toBe(true);
    await page.getByLabel("to", { exact: true }).fill("2026-11-02");
    await page.getByRole("button", { name: "Apply" }).click();
    await expect.poll(() => page.url()).toBe(at(`/${prefix}/spend?from=2026-10-30&to=2026-11-02`));
    const table = page.getByRole("table", { name: "Days of agents" });
    await expect
      .poll(() => table.getByRole("row").allInnerTexts())
      .toEqual([
        "Agent\tTotal\t2 Nov\t30 Oct",
        expect.stringMatching(/Grace "G"\s+\$4\.00\s+\$4\.00\s+–$/),
        expect.stringMatching(/Ada\s+\$3\.50\s+\$2\.50\s+\$1\.00$/),
      ]);
    // The bars are of agents, on an axis that ends above the highest; the second of November is the last.
    const chart = page.locator(".day-chart");
    expect((await chart.locator(".day-scale").innerText()).split("\n")).toEqual(["$10.00", "$5.00", "$0.00"]);
    expect(await chart.locator(".day-keys").innerText()).toMatch(/Grace "G"\s+Ada/);
    await chart.locator("g").last().hover();
    expect(await chart.locator(".day-tip").innerText()).toMatch(
      /2 Nov\s+\$6\.50\s+Ada\s+\$2\.50\s+=Grace "G"\s+\$4\.00/,
    );
    await expectAccessible();
    const saving = page.waitForEvent("download");
    await page.getByRole("button", { name: "Download CSV" }).click();
    const file = await saving;
    expect(file.suggestedFilename()).toBe(`spend-${prefix}-2026-10-30-2026-11-02.csv`);
    const lines = (await readFile(await file.path(), "utf8")).trim().split("\r\n");
    expect(lines.map((line) => line.split(",").slice(2, 4).join())).toEqual([
      "agentName,costCents",
      "Ada,100",
      `"'=Grace ""G""",400`,
      "Ada,250",
    ]);
    await page.getByTitle("View cost events").first().click();
    await page.getByRole("heading", { name: "Cost events" }).waitFor();
    await expect.poll(() => page.getByRole("row").count()).toBe(4);
    expectClean();
    await close();
  });

  it("group coming ticks by routine", async () => {
    const { admin } = board.service;
    const { companyId: id, prefix, agentId: agent } = await aCompany(board, "Ticks");
    const { id: projectId } = await admin.projects.create({ companyId: id, name: "Tides" });
    for (const [title, cronExpression] of [
      ["Read the gauges", "0 * * * *"],
      ["Report", "30 12 * * *"],
    ] as const) {
      const routine = await admin.routines.create({
        companyId: id,
        title,
        assigneeAgentId: agent,
        projectId,
      });
      await admin.routines.addTrigger({
        routineId: routine.id,
        kind: "schedule",
        cronExpression,
        timezone: "UTC",
      });
    }
    const { page, expectClean, expectAccessible, close } = await board.signedIn(`/${prefix}/routines`, {
      timezoneId: "UTC",
    });
    const tomorrow = page.getByRole("region", { name: "Upcoming" }).getByRole("region").nth(1);
    await expect
      .poll(() => tomorrow.getByRole("listitem").allInnerTexts())
      .toEqual([
        expect.stringMatching(/^00:00\s+Read the gauges\s+24 times, the last at 23:00$/),
        expect.stringMatching(/^12:30\s+Report$/),
      ]);
    await page
      .getByRole("row", { name: /^Report / })
      .getByText("At 12:30")
      .waitFor();
    await expectAccessible();
    expectClean();
    await close();
  });

  it("are created with their schedule, and one that is refused is added to the routine that is there", async () => {
    const { admin } = board.service;
    const { companyId, prefix } = await aCompany(board, "Schedules");
    await admin.projects.create({ companyId, name: "Tides" });
    const { page, expectAccessible, expectClean, close } = await board.signedIn(`/${prefix}/routines`);
    await page.getByRole("heading", { name: "Routines", exact: true }).waitFor();
    await page.keyboard.press("c");
    const dialog = page.getByRole("dialog", { name: "New routine" });
    await dialog.getByLabel("Title").fill("Walk the cranes");
    await dialog.getByRole("combobox", { name: "Assignee" }).fill("Ada");
    await page.getByRole("option", { name: "Ada" }).waitFor();
    await page.keyboard.press("Enter");
    await dialog.getByLabel("Project").selectOption({ index: 1 });
    await dialog.getByLabel("Repeats").selectOption("Every weekday, Monday to Friday");
    await dialog.getByLabel("At", { exact: true }).fill("06:30");
    await dialog.getByLabel("Time zone").fill("Atlantis");
    const named = async () =>
      (await admin.routines.list({ companyId })).filter(({ title }) => title === "Walk the cranes");
    // A refused schedule is added to the routine that is there, once it can be.
    await dialog.getByRole("button", { name: "Create routine" }).click();
    await dialog.getByRole("alert").waitFor();
    expect(await named()).toHaveLength(1);
    await dialog.getByLabel("Time zone").fill("berlin");
    await expectAccessible();
    await dialog.getByRole("button", { name: "Create routine" }).click();
    await page.getByRole("heading", { name: "Walk the cranes" }).waitFor();
    await page.getByText("Europe/Berlin", { exact: true }).waitFor();
    expect(await page.locator(".routine-cron").textContent()).toBe("30 6 * * mon-fri");
    expect(await named()).toHaveLength(1);
    expectClean({ refusals: [422] });
    await close();
  });

  it("give the issues of a routine a goal and a parent", async () => {
    const { admin } = board.service;
    const { companyId: id, prefix, agentId: assigneeAgentId } = await aCompany(board, "Goals");
    const { id: projectId } = await admin.projects.create({ companyId: id, name: "Tides" });
    const { id: goalId } = await admin.goals.create({ companyId: id, title: "Know the water" });
    const { id: parentIssueId } = await admin.issues.create({ companyId: id, title: "Read all gauges" });
    const { id: routineId } = await admin.routines.create({
      companyId: id,
      title: "Read a gauge",
      assigneeAgentId,
      projectId,
    });
    const { page, expectClean, expectAccessible, close } = await board.signedIn(
      `/${prefix}/routines/${routineId}`,
    );
    const edit = async () => {
      await page.getByRole("button", { name: "Edit routine" }).click();
      await page.getByRole("menuitem", { name: "Edit" }).click();
      return page.getByRole("dialog", { name: "Edit routine" });
    };
    const dialog = await edit();
    await dialog.getByLabel("Goal").selectOption({ label: "Know the water" });
    await dialog.getByRole("combobox", { name: "Parent issue" }).fill("gauges");
    await page.getByRole("option", { name: `${prefix}-1 Read all gauges` }).waitFor();
    await page.keyboard.press("Enter");
    await expectAccessible();
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.waitFor({ state: "detached" });
    expect(await admin.routines.get({ routineId })).toMatchObject({ goalId, parentIssueId });
    const again = await edit();
    await expect
      .poll(() => again.getByRole("combobox", { name: "Parent issue" }).inputValue())
      .toBe(`${prefix}-1 Read all gauges`);
    await again.getByRole("combobox", { name: "Parent issue" }).fill("");
    await page.keyboard.press("Tab");
    await again.getByRole("button", { name: "Save" }).click();
    await again.waitFor({ state: "detached" });
    expect((await admin.routines.get({ routineId })).parentIssueId).toBe(null);
    expectClean();
    await close();
  });
});
