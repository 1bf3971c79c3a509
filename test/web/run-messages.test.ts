import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually } from "../support/service.ts";
import { type Board, startBoard } from "./board.ts";
import { chromiumPath } from "./chromium.ts";

const command = fileURLToPath(new URL("../support/acp-agent.mjs", import.meta.url));
const say = (text: string) => ({
  update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text } },
});

describe.skipIf(chromiumPath === null)("A run that works, on the board page", () => {
  let board: Board;
  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "run-messages-"));
    board = await startBoard({ role: "all" });
  });
  afterAll(async () => {
    await board?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it("says when it takes messages without being asked again and again, takes one below its transcript, shows what became of it, and is interrupted", async () => {
    const { admin } = board.service;
    const { id: companyId, issuePrefix } = await admin.companies.create({ name: "Harbour Works" });
    const [ready, go, received] = ["ready", "go", "heard"].map((name) =>
      join(folder, `${name}-${crypto.randomUUID()}`),
    ) as [string, string, string];
    const plan = {
      initialize: [{ file: ready }, { result: { protocolVersion: 1, agentCapabilities: {} } }],
      "session/prompt": [
        say("I begin."),
        { file: go },
        { result: { stopReason: "end_turn", usage: { inputTokens: 1, outputTokens: 1 } } },
      ],
      "session/prompt again": [say("I wait."), { cancel: true }, { result: { stopReason: "cancelled" } }],
    };
    const { id: assigneeAgentId } = await admin.agents.create({
      companyId,
      name: "Ada",
      adapterType: "acp",
      adapterConfig: {
        agent: "custom",
        command,
        graceSec: 1,
        env: { ACP_AGENT: JSON.stringify(plan), HEARD: received },
      },
    });
    const { id: issueId } = await admin.issues.create({
      companyId,
      title: "Mend the net",
      status: "todo",
      assigneeAgentId,
    });
    const run = await eventually(
      async () => (await admin.runs.ofIssue({ issueId })).items[0],
      (found) => found?.status === "running" && existsSync(received),
    );
    const { page, at, expectAccessible } = await board.signedIn(`/${issuePrefix}/runs`);
    await page.clock.install();
    const followed = page.waitForResponse(/\/api\/events\?.*logOfRunId/);
    await page.goto(at(`/${issuePrefix}/runs/${run!.id}`));
    await followed;
    const messages = page.getByRole("region", { name: "Messages" });
    await messages.getByText("Delivered with the next run.").waitFor();
    const asked: string[] = [];
    page.on("request", (request) => {
      if (request.url().includes("/api/heartbeat-runs/")) asked.push(request.url());
    });
    // Reads of a page that has just been shown, and begins to follow the run, come before.
    await expect.poll(() => page.locator(".page.waiting, .skeleton").count()).toBe(0);
    await expect
      .poll(async () => {
        const before = asked.length;
        await page.clock.runFor(1_000);
        return asked.length - before;
      })
      .toBe(0);
    asked.length = 0;
    await page.clock.runFor(31_000);
    expect(asked).toEqual([]);
    writeFileSync(ready, "");
    await messages.getByText("Delivered while it works.").waitFor();
    await page.keyboard.press("m");
    await page.keyboard.type("Use the blue yarn.");
    await messages.getByRole("button", { name: "Send" }).click();
    const message = messages.getByRole("listitem").filter({ hasText: "Use the blue yarn." });
    await message.getByText("Queued until this step ends").waitFor();
    await expectAccessible();
    writeFileSync(go, "");
    await message.getByText("Delivered").waitFor();
    await page.getByRole("button", { name: "Interrupt" }).click();
    await page.locator(".run-facts").getByText("Cancelled").waitFor();
    await page.getByText("The next run continues the session.").first().waitFor();
    await message.waitFor();
  });
});
