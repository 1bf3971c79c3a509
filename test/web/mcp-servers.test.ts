import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startToolServer, type ToolServer, toolProgram } from "../support/tool-server.ts";
import { type Board, startBoard } from "./board.ts";
import { chromiumPath } from "./chromium.ts";

describe.skipIf(chromiumPath === null)("On the board page, an operator", () => {
  const value = "wicker-basket-4711";
  let board: Board;
  let tickets: ToolServer;
  beforeAll(async () => {
    [board, tickets] = await Promise.all([
      startBoard({ env: { SERVICE_SANDBOX: "auto" } }),
      startToolServer({ authorization: `Bearer ${value}` }),
    ]);
  });
  afterAll(async () => {
    await board?.stop();
    tickets?.close();
  });

  it("gives agents MCP servers with a secret, sees what is wrong and their tools, tests, edits and removes them", async () => {
    const { admin } = board.service;
    const { id: companyId, issuePrefix } = await admin.companies.create({ name: "Harbour Works" });
    const { id: agentId } = await admin.agents.create({
      companyId,
      name: "Ada",
      adapterType: "process",
      adapterConfig: { command: "true" },
    });
    await admin.secrets.create({ companyId, name: "Tickets", value });
    const { page, expectAccessible, close } = await board.signedIn(`/${issuePrefix}/settings`);
    await page.getByRole("button", { name: "Add an MCP server" }).click();
    const form = page.getByRole("form", { name: "Add an MCP server" });
    await form.getByLabel("Name", { exact: true }).fill("tickets");
    await form.getByLabel("URL").fill(tickets.url);
    await form.getByLabel("Allow this machine").check();
    await form.getByRole("button", { name: "Add", exact: true }).click();
    await form.getByText("refuses the credentials (401)").waitFor();
    await form.getByRole("button", { name: "Add a header" }).click();
    await form.getByLabel("Name of header 1").fill("Authorization");
    await form.getByLabel("Secret of header 1", { exact: true }).selectOption({ label: "Tickets" });
    await form.getByLabel("Prefix of header 1").fill("Bearer ");
    await expectAccessible();
    await form.getByRole("button", { name: "Add", exact: true }).click();
    const list = page.getByRole("list", { name: "MCP servers" });
    await list.getByText("for all agents · 1 tool").waitFor();
    await list.getByText("tickets", { exact: false }).first().click();
    await list.getByText("Looks up a ticket.").waitFor();
    await page.getByRole("button", { name: "Test tickets" }).click();
    await page.getByText("tickets tested").first().waitFor();
    await page.getByRole("button", { name: "Edit tickets" }).click();
    const edit = page.getByRole("form", { name: "Edit tickets" });
    await edit.getByLabel("Available to all agents").uncheck();
    await edit.getByLabel("Ada").check();
    await edit.getByRole("button", { name: "Save" }).click();
    await list.getByText("for 1 agent ·").waitFor();
    expect(await admin.mcpServers.list({ companyId })).toMatchObject([
      {
        name: "tickets",
        allAgents: false,
        agentIds: [agentId],
        headers: { Authorization: { type: "secret_ref", prefix: "Bearer " } },
      },
    ]);
    await page.getByRole("button", { name: "Add an MCP server" }).click();
    await form.getByLabel("Name", { exact: true }).fill("scales");
    await form.getByLabel("Kind").selectOption("command");
    await form.getByLabel("Command").fill("node");
    await form.getByLabel("Arguments").fill(`-e\n${toolProgram.replaceAll("\n", " ")}`);
    await form.getByRole("button", { name: "Add a variable" }).click();
    await form.getByLabel("Name of variable 1").fill("SCALES_KEY");
    await form.getByLabel("Secret of variable 1", { exact: true }).selectOption({ label: "Tickets" });
    await form.getByRole("button", { name: "Add", exact: true }).click();
    await list.getByText("node · for all agents · 1 tool").waitFor();
    await page.goto(`${board.service.url}/${issuePrefix}/agents/${agentId}?tab=configuration`);
    await page.getByText("tickets · lookup").waitFor();
    await page.getByText("scales · weigh").waitFor();
    await page.goto(`${board.service.url}/${issuePrefix}/settings`);
    await page.getByRole("button", { name: "Remove tickets" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Remove", exact: true }).click();
    await expect
      .poll(async () => (await admin.mcpServers.list({ companyId })).map(({ name }) => name))
      .toEqual(["scales"]);
    await close();
  });

  it("reads the house rules, writes them as an owner, and takes an earlier revision up again", async () => {
    const { admin } = board.service;
    const { id: companyId, issuePrefix } = await admin.companies.create({ name: "Quay Works" });
    const { page, expectAccessible, close } = await board.signedIn(`/${issuePrefix}/settings`);
    await page.getByRole("button", { name: "Write house rules" }).click();
    const form = page.getByRole("form", { name: "House rules" });
    await form.getByLabel("House rules", { exact: true }).fill("Write **British** English.");
    await form.getByRole("button", { name: "Save" }).click();
    await page.locator("strong", { hasText: "British" }).waitFor();
    await admin.companies.setHouseRules({ companyId, body: "Write as you like.", baseRevisionNumber: 1 });
    await page.getByText("Write as you like.").waitFor();
    await page.getByRole("button", { name: "Show revisions of house rules" }).click();
    await page.getByText("Revision 2").click();
    await expectAccessible();
    await page.getByRole("button", { name: "Edit from revision 1" }).click();
    await admin.companies.setHouseRules({ companyId, body: "Write little.", baseRevisionNumber: 2 });
    await form.getByRole("button", { name: "Save" }).click();
    await form.getByText("were changed in the meantime").waitFor();
    await form.getByRole("button", { name: "Cancel" }).click();
    await page.getByText("Write little.").first().waitFor();
    expect((await admin.companies.houseRules({ companyId })).revisionNumber).toBe(3);
    await close();
  });
});
