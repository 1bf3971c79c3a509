import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually } from "../support/service.ts";
import { type Board, startBoard } from "./board.ts";
import { chromiumPath } from "./chromium.ts";
import { phone, Taps } from "./taps.ts";

const agent = fileURLToPath(new URL("../support/acp-agent.mjs", import.meta.url));
const options = ["allow_once", "reject_once"].map((kind) => ({ optionId: kind, name: kind, kind }));
const command = "make clean && rm -r build";
const plan = {
  "session/prompt": [
    {
      ask: {
        method: "session/request_permission",
        params: {
          toolCall: { toolCallId: "t", title: "Clean up", kind: "execute", rawInput: { command } },
          options,
        },
      },
    },
    {
      update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "All is clean." } },
    },
    { result: { stopReason: "end_turn", usage: { inputTokens: 1, outputTokens: 1 } } },
  ],
};

describe.skipIf(chromiumPath === null)("A program that asks, on the board page", () => {
  let board: Board;
  beforeAll(async () => {
    board = await startBoard({ role: "all" });
  });
  afterAll(() => board?.stop());

  it("may do the same again for its agent, which its configuration shows and revokes", async () => {
    const { admin } = board.service;
    const { id: companyId, issuePrefix: prefix } = await admin.companies.create({ name: "Lock Works" });
    const { id: agentId } = await admin.agents.create({
      companyId,
      name: "Grace",
      adapterType: "acp",
      adapterConfig: {
        agent: "custom",
        command: agent,
        permissions: "ask",
        graceSec: 1,
        env: { ACP_AGENT: JSON.stringify(plan) },
      },
    });
    const { id: issueId, identifier } = await admin.issues.create({
      companyId,
      title: "Clean the lock",
      status: "todo",
      assigneeAgentId: agentId,
    });
    const { page, at, expectClean, expectAccessible, close } = await board.signedIn(
      `/${prefix}/issues/${identifier}`,
    );
    const article = page.getByRole("article", { name: "Interaction: Clean up" }).first();
    await article.getByText("Grace wants to run a command.").waitFor();
    await article.getByRole("button", { name: "Always allow this command" }).click();
    await expectAccessible();
    await page.getByRole("menuitem", { name: "For Grace" }).click();
    await eventually(
      () => admin.agents.get({ agentId }),
      ({ runtimeConfig }) => runtimeConfig.alwaysAllow?.[0]?.command === command,
    );
    await admin.issues.update({ issueId, status: "done" });
    await page.goto(at(`/${prefix}/agents/${agentId}?tab=access`));
    await page.getByRole("heading", { name: "Always allowed" }).waitFor();
    await expectAccessible();
    await page.getByRole("button", { name: `Revoke ${command}` }).click();
    await page.getByText("None. Commands that you always allow").waitFor();
    expect((await admin.agents.get({ agentId })).runtimeConfig.alwaysAllow).toBeUndefined();
    expectClean();
    await close();
  });

  it("waits in its transcript until the request is answered in the inbox", async () => {
    const { admin } = board.service;
    const { id: companyId, issuePrefix: prefix } = await admin.companies.create({ name: "Harbour Works" });
    const { id: assigneeAgentId } = await admin.agents.create({
      companyId,
      name: "Ada",
      adapterType: "acp",
      adapterConfig: {
        agent: "custom",
        command: agent,
        permissions: "ask",
        graceSec: 1,
        env: { ACP_AGENT: JSON.stringify(plan) },
      },
    });
    const { id: issueId, identifier } = await admin.issues.create({
      companyId,
      title: "Clean up",
      status: "todo",
      assigneeAgentId,
    });
    const asked = await eventually(
      async () => (await admin.runs.ofIssue({ issueId })).items[0],
      (run) => run !== undefined && run.waitsForPersonSince !== null,
    );
    const transcript = await board.signedIn(`/HAR/runs/${asked!.id}`);
    const request = transcript.page.getByRole("region", { name: "Needs your answer: Clean up" });
    await request.getByText(command).waitFor();
    await transcript.page.locator(".run-facts").getByText("Needs your answer").waitFor();
    await transcript.expectAccessible();

    const inbox = await board.signedIn("/inbox", phone);
    const taps = new Taps();
    const entries = inbox.page
      .locator(".inbox-entry")
      .filter({ hasText: `Ada wants to run a command: ${command}` });
    // The next run, which takes up what this one leaves, asks as well: by an entry of its own.
    const entry = inbox.page.locator(`[data-id="${await entries.first().getAttribute("data-id")}"]`);
    await taps.on(entry.getByRole("link"));
    await inbox.page.getByRole("region", { name: "Command" }).getByText(command).waitFor();
    await inbox.expectAccessible();
    await taps.on(inbox.page.getByRole("button", { name: "Allow once" }));
    expect(taps.count).toBeLessThanOrEqual(3);
    await entry.waitFor({ state: "detached" });

    await request.waitFor({ state: "detached" });
    await transcript.page.getByText("All is clean.").first().waitFor();
    await transcript.page.getByText("allowed (by a person)").first().waitFor();
    await transcript.page.locator(".run-facts").getByText("Succeeded").waitFor();

    await transcript.page.goto(new URL(`/${prefix}/issues/${identifier}`, transcript.page.url()).href);
    await transcript.page
      .getByRole("article", { name: "Interaction: Clean up" })
      .getByText("Accepted")
      .waitFor();
    inbox.expectClean();
    transcript.expectClean();
    await inbox.close();
    await transcript.close();
  });
});
