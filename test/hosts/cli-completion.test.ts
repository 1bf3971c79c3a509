import { spawn } from "node:child_process";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pc from "picocolors";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { cli } from "../../hosts/cli/cli.ts";
import { shells } from "../../hosts/cli/completion/shells.ts";
import { eventually } from "../support/eventually.ts";
import { has } from "../support/needed-programs.ts";
import { program } from "../support/service-program.ts";
import { type StubAnswer, stubService } from "../support/stub-service.ts";

const companyId = "0193a0f0-0000-7000-8000-000000000001";
const hostile = "0193a0f0-0000-7000-8000-00000000000f";

const answers: Readonly<Record<string, unknown>> = {
  "/api/companies": [{ id: companyId, name: "Acme", issuePrefix: "ACM" }],
  [`/api/companies/${companyId}/agents`]: [{ id: companyId, urlKey: "alice", name: "Alice", status: "idle" }],
  [`/api/companies/${companyId}/issues`]: [
    { id: companyId, identifier: "ACM-12", title: "Fix\tthe\n\u001b[31mlogin", status: "todo" },
    { id: hostile, identifier: "$(touch pwned)", title: "Hostile", status: "todo" },
  ],
  "/api/issues/ACM-12/documents": [{ key: "plan", title: "The plan" }],
};
const answer = (path: string): StubAnswer =>
  path in answers ? { json: answers[path] } : { status: 404, json: { error: "None.", code: "not_found" } };

let scratch: string;
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), "boardroom-completion-"));
  await mkdir(join(scratch, "bin"));
  await symlink(program, join(scratch, "bin", "boardroom"));
  await writeFile(join(scratch, "notes.md"), "");
  await mkdir(join(scratch, "nested"));
});
afterAll(() => rm(scratch, { recursive: true, force: true }));

const stub = async () => {
  const service = await stubService(({ url }) => answer(url.split("?")[0]!));
  onTestFinished(service.close);
  return service;
};

/** The lines that a shell's script gets for those words, of which the last is not complete. */
const offered = async (
  words: readonly string[],
  env: Readonly<Record<string, string>> = {},
  shell = "zsh",
) => {
  let out = "";
  let err = "";
  const exitCode = await cli(["__complete", shell, ...words], {
    out: (text) => {
      out += text;
    },
    err: (text) => {
      err += text;
    },
    stdin: async () => "",
    env: { SERVICE_DATA_DIR: join(scratch, "data"), ...env },
    width: null,
    colors: pc.createColors(false),
    now: () => new Date(),
  });
  expect([exitCode, err]).toEqual([0, ""]);
  return out === "" ? [] : out.trimEnd().split("\n");
};
const values = (lines: readonly string[]) => lines.map((line) => line.split("\t")[0]!);

describe("words that need no service", () => {
  test.each([
    ["a command", ["ser"], ["serve"]],
    ["a group", ["iss"], ["issues"]],
    ["a command of a group", ["issues", "checko"], ["checkout"]],
    ["a command of a group's alias", ["issue", "checko"], ["checkout"]],
    ["a flag", ["issues", "create", "--assignee-a"], ["--assignee-agent-id"]],
    ["a flag of every command", ["issues", "create", "--tok"], ["--token"]],
    ["a value", ["issues", "list", "--sort", "pri"], ["priority"]],
    ["a value after an equals sign", ["issues", "list", "--sort=pri"], ["--sort=priority"]],
    ["an item of a list", ["issues", "list", "--status", "todo,in_p"], ["todo,in_progress"]],
    ["a role", ["serve", "--role", ""], ["api", "worker", "all"]],
    ["a shell", ["completion", ""], ["bash", "zsh", "fish"]],
    ["nothing after the last argument", ["completion", "bash", ""], []],
  ])("%s", async (_, words, expected) => {
    expect(values(await offered(words))).toEqual(expected);
  });

  test("a file, and one whose content is a text", async () => {
    expect(values(await offered(["attachments", "add", "ACM-12", "--file", `${scratch}/n`]))).toEqual(
      expect.arrayContaining([`${scratch}/notes.md`, `${scratch}/nested/`]),
    );
    expect(values(await offered(["issues", "create", "--description", `@${scratch}/no`]))).toEqual([
      `@${scratch}/notes.md`,
    ]);
  });

  test("bash gets what follows the last break of its word", async () => {
    expect(values(await offered(["issues", "list", "--sort", "=", "pri"], {}, "bash"))).toEqual(["priority"]);
  });
});

describe("ids and names of the service", () => {
  const ask = async (words: readonly string[]) => {
    const { url } = await stub();
    return offered(words, { SERVICE_API_URL: url, SERVICE_API_KEY: "brd_test" });
  };

  test.each([
    ["a company", ["-C", ""], ["ACM\tAcme"]],
    ["an agent", ["agents", "get", ""], ["alice\tAlice · idle"]],
    ["an agent as a flag's value", ["issues", "create", "--assignee-agent-id", "a"], ["alice\tAlice · idle"]],
    ["the part of an issue", ["documents", "get", "ACM-12", ""], ["plan\tThe plan"]],
    // Titles are other people's texts: one line, no escape sequences; and what a shell could read is no value.
    ["an issue", ["issues", "get", ""], ["ACM-12\tFix the login · todo"]],
    ["what the service refuses", ["projects", "get", ""], []],
  ])("%s", async (_, words, expected) => {
    expect(await ask(words)).toEqual(expected);
  });

  test("none without a service, and none of one that does not answer", async () => {
    expect(await offered(["issues", "get", ""])).toEqual([]);
    const silent = await stubService(() => ({ stream: "[" }));
    onTestFinished(silent.close);
    expect(await offered(["issues", "get", ""], { SERVICE_API_URL: silent.url })).toEqual([]);
  });
});

const starts = {
  bash: { command: "bash --norc --noprofile -i", load: 'eval "$(boardroom completion bash)"' },
  zsh: {
    command: "zsh -f -i",
    load: 'autoload -U compinit; compinit -u -D; eval "$(boardroom completion zsh)"',
  },
  fish: { command: "fish --no-config -i", load: "boardroom completion fish | source" },
};

/** The shell on a terminal of its own, as a person uses it. */
const openShell = (command: string, env: Readonly<Record<string, string>>) => {
  const child = spawn("script", ["-qfec", command, "/dev/null"], {
    cwd: scratch,
    env: { PATH: `${join(scratch, "bin")}:${process.env.PATH}`, HOME: scratch, TERM: "xterm", ...env },
  });
  let shown = "";
  child.stdout.on("data", (chunk: Buffer) => {
    shown += chunk.toString("utf8");
  });
  const exited = new Promise((resolve) => child.once("exit", resolve));
  onTestFinished(async () => {
    child.stdin.end();
    child.kill();
    await exited;
  });
  return {
    type: (keys: string) => child.stdin.write(keys),
    /** The output after the last keys, without the terminal's sequences. */
    until: (pattern: RegExp) =>
      eventually(
        async () => shown.replace(/\u001b(?:\[[0-?]*[ -/]*[@-~]|[^[])|.?\u0008/g, ""),
        (text) => pattern.test(text),
      ),
  };
};

describe("in the shell itself", () => {
  for (const shell of shells)
    test.skipIf(!has(shell))(`${shell} completes a command, then an id`, async () => {
      const { url } = await stub();
      const { command, load } = starts[shell];
      const terminal = openShell(command, { SERVICE_API_URL: url, SERVICE_API_KEY: "brd_test" });
      terminal.type(`${load}; echo re''ady\n`);
      await terminal.until(/^ready/m);
      terminal.type("echo boardroom; boardroom issues checkou\t");
      await terminal.until(/boardroom issues checkout/);
      terminal.type("\t");
      await terminal.until(/boardroom issues checkout *ACM-12/);
    });
});
