import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually } from "../support/eventually.ts";
import { type Board, startBoard } from "./board.ts";
import { chromiumPath } from "./chromium.ts";

const lines = 100_000;
const script = `echo "the needle broke" >&2; awk 'BEGIN { for (n = 1; n <= ${lines}; n++) print "line " n ": what there is to say of it" }'`;

const entries = [
  { type: "system", subtype: "init", session_id: "s1", model: "m" },
  {
    type: "assistant",
    message: {
      id: "m1",
      usage: { input_tokens: 1200, cache_read_input_tokens: 15000, output_tokens: 180 },
      content: [
        { type: "text", text: "## Plan\n\nRun `crane.ts`." },
        { type: "tool_use", id: "t1", name: "Bash", input: { command: "npm test" } },
      ],
    },
  },
  {
    type: "user",
    message: {
      content: [
        {
          type: "tool_result",
          tool_use_id: "t1",
          content: "\u001b[31mcrane lifts\u001b[39m",
          is_error: true,
        },
      ],
    },
  },
  {
    type: "assistant",
    message: {
      content: [
        {
          type: "tool_use",
          id: "t2",
          name: "Edit",
          input: { file_path: "/work/crane.ts", old_string: "kg < 10", new_string: "kg <= 1000" },
        },
      ],
    },
  },
  {
    type: "user",
    message: { content: [{ type: "tool_result", tool_use_id: "t2", content: "The file was updated." }] },
  },
  { type: "result", subtype: "success", is_error: false, result: "It lifts **1000 kg**.", session_id: "s1" },
];

describe.skipIf(chromiumPath === null)(`A run of ${lines} lines on the board page`, () => {
  let board: Board;
  let path: string;
  beforeAll(async () => {
    board = await startBoard({ role: "all" });
    const { admin } = board.service;
    const { id: companyId } = await admin.companies.create({ name: "Harbour Works" });
    const { id: agentId } = await admin.agents.create({
      companyId,
      name: "Ada",
      adapterType: "process",
      adapterConfig: { command: "/bin/sh", args: ["-c", script] },
    });
    const { id } = await admin.agents.invoke({ agentId });
    await eventually(
      () => admin.runs.get({ runId: id! }),
      ({ status }) => status === "succeeded",
    );
    path = `/HAR/runs/${id}`;
  });
  afterAll(() => board?.stop());

  it("opens at its end, reads backwards as it is scrolled, and keeps its place meanwhile", async () => {
    const { page, expectClean, expectAccessible, close } = await board.signedIn(path);
    await page.getByText(`line ${lines}: `).waitFor();
    expect(await page.locator(".run-line").count()).toBeLessThan(200);
    await expectAccessible();
    await page.getByRole("log").focus();
    await page.keyboard.press("Home");
    const numbers = () =>
      page.evaluate(
        "[...document.querySelectorAll('.run-line')].map((e) => Number(/line (\\d+):/.exec(e.textContent)?.[1]))",
      ) as Promise<number[]>;
    const [first = 0] = await numbers();
    // The lines before may be there already: then the next key shows them.
    await expect
      .poll(async () => {
        await page.keyboard.press("Home");
        return (await numbers())[0];
      })
      .toBeLessThan(first);
    const shown = await numbers();
    expect(shown).toEqual(shown.map((_, at) => shown[0]! + at));
    await page.getByRole("button", { name: "Follow the end" }).click();
    await page.getByText(`line ${lines}: `).waitFor();
    expectClean();
    await close();
  });

  it("follows its end though a move upwards is animated still, and again once the end is reached", async () => {
    const { page, close } = await board.signedIn(path);
    const follow = page.getByRole("button", { name: "Follow the end" });
    for (const move of ["Home", "PageUp", "Home", "wheel", "Home", "Home"]) {
      await page.getByText(`line ${lines}: `).waitFor();
      await page.getByRole("log").hover();
      await page.getByRole("log").focus();
      if (move === "wheel") await page.mouse.wheel(0, -100_000);
      else for (let presses = 0; presses < 3; presses++) await page.keyboard.press(move);
      await follow.click();
    }
    await page.getByText(`line ${lines}: `).waitFor();
    await page.getByRole("log").focus();
    await page.keyboard.press("PageUp");
    await follow.waitFor();
    await expect
      .poll(async () => {
        await page.keyboard.press("End");
        return follow.count();
      })
      .toBe(0);
    await close();
  });

  it("shows its first error and what is searched for, wherever they stand", async () => {
    const { page, expectClean, close } = await board.signedIn(path);
    await page.getByText(`line ${lines}: `).waitFor();
    await page.getByRole("button", { name: "First error" }).click();
    await page.getByText("the needle broke").waitFor();
    for (const line of ["line 1:", "line 4242:"]) {
      await page.getByLabel("Search the transcript").fill(line);
      await page.getByText("1 found").waitFor();
      await page.getByText(`${line} `).waitFor();
    }
    await page.getByLabel("Search the transcript").fill("");
    await page.getByRole("button", { name: "Follow the end" }).click();
    await page.getByText(`line ${lines}: `).waitFor();
    expectClean();
    await close();
  });

  it("goes to its first error though an event of the position at its end comes later", async () => {
    const { page, expectClean, close } = await board.signedIn(path);
    await page.getByText(`line ${lines}: `).waitFor();
    await page.evaluate(`{
      const named = (selector, text) => [...document.querySelectorAll(selector)].find((each) => each.textContent === text);
      named("button", "First error").click();
      document.querySelector("[role=log]").dispatchEvent(new Event("scroll"));
    }`);
    await page.getByText("the needle broke").waitFor();
    expectClean();
    await close();
  });

  it("shows words as Markdown, output in its colours, a replacement as a difference, a result with its call, and the files", async () => {
    const folder = await mkdtemp(join(tmpdir(), "said-"));
    const { admin } = board.service;
    const [company] = (await admin.companies.list()) as readonly { id: string }[];
    const program = join(folder, "program");
    await writeFile(
      program,
      `#!/bin/sh\ncat <<'SAID'\n${entries.map((line) => JSON.stringify(line)).join("\n")}\nSAID\n`,
    );
    await chmod(program, 0o755);
    const agent = await admin.agents.create({
      companyId: company!.id,
      name: "Grace",
      adapterType: "adapter_a_local",
      adapterConfig: { command: program },
    });
    const { id } = await admin.agents.invoke({ agentId: agent.id });
    await eventually(
      () => admin.runs.get({ runId: id! }),
      ({ status }) => status === "succeeded",
    );
    const { page, expectClean, expectAccessible, close } = await board.signedIn(`/HAR/runs/${id}`);
    await page.locator(".run-text strong", { hasText: "1000 kg" }).waitFor();
    const bash = page.locator(".run-line", { hasText: "npm test" });
    await bash.locator("summary").click();
    await bash.locator(".terminal-red", { hasText: "crane lifts" }).waitFor();
    expect(await bash.textContent()).toContain("16,380 tokens");
    const edit = page.locator(".run-line", { hasText: "/work/crane.ts" });
    await edit.locator("summary").click();
    await edit.locator(".diff-line.added", { hasText: "kg <= 1000" }).waitFor();
    expect(await edit.textContent()).toContain("The file was updated.");
    await page.getByRole("button", { name: "Files changed" }).click();
    await page.getByRole("menuitem", { name: "/work/crane.ts" }).click();
    await expectAccessible();
    expectClean();
    await close();
    await rm(folder, { recursive: true });
  });
});
