import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createServerAdapter as acp } from "../../plugins/acp/src/server.ts";
import { createServerAdapter as claude } from "../../plugins/adapter-a-local/src/server.ts";
import { readTexts } from "../../plugins/adapter-b-local/src/detect-model.ts";
import { createServerAdapter as codex } from "../../plugins/adapter-b-local/src/server.ts";
import { createServerAdapter as opencode } from "../../plugins/adapter-c-local/src/server.ts";
import type { AgentAdapter } from "../../ports/agent-adapter.ts";
import { probeContext } from "../support/run-adapter.ts";

let root: string;
let home: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "models-"));
  home = join(root, "home");
  mkdirSync(join(root, "workspace"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const put = (file: string, text: string) => {
  mkdirSync(dirname(join(home, file)), { recursive: true });
  writeFileSync(join(home, file), text);
};

const context = (
  adapter: AgentAdapter,
  env: Record<string, string> = {},
  config: Record<string, unknown> = {},
) =>
  probeContext({
    adapter,
    cwd: join(root, "workspace"),
    env: { PATH: "/usr/bin:/bin", HOME: home, ...env },
    config,
  });
const detect = (adapter: AgentAdapter, env?: Record<string, string>, config?: Record<string, unknown>) =>
  adapter.detectModel?.(context(adapter, env, config));

describe("claude's default model", () => {
  it("is unknown if no setting names it, or the setting is broken", async () => {
    expect(await detect(claude())).toBeNull();
    put(".claude/settings.json", "{");
    expect(await detect(claude())).toBeNull();
    put(".claude/settings.json", '{"model":7}');
    expect(await detect(claude())).toBeNull();
  });

  it("is the configured one, else the environment's, else the settings'", async () => {
    put(".claude/settings.json", '{"model":"opus","env":{"ANTHROPIC_API_KEY":"sk-hidden"}}');
    const settings = await detect(claude());
    expect(settings).toEqual({
      model: "opus",
      provider: "anthropic",
      source: "claude's settings.json",
      candidates: ["opus"],
    });
    expect(await detect(claude(), { ANTHROPIC_MODEL: "haiku", CLAUDE_CODE_USE_BEDROCK: "1" })).toEqual({
      model: "haiku",
      provider: "bedrock",
      source: "environment variable ANTHROPIC_MODEL",
      candidates: ["haiku", "opus"],
    });
    expect(await detect(claude(), { ANTHROPIC_MODEL: "haiku" }, { model: "sonnet" })).toMatchObject({
      model: "sonnet",
      candidates: ["sonnet", "haiku", "opus"],
    });
    put("elsewhere/settings.json", '{"model":"fable"}');
    expect(await detect(claude(), { CLAUDE_CONFIG_DIR: join(home, "elsewhere") })).toMatchObject({
      model: "fable",
    });
  });
});

describe("codex's default model", () => {
  it("is that of its configuration, of the active profile first", async () => {
    expect(await detect(codex())).toBeNull();
    put(".codex/config.toml", 'model = "gpt-5.5" # mine\n[model_providers.x]\nmodel = "not this"\n');
    expect(await detect(codex())).toEqual({
      model: "gpt-5.5",
      provider: "openai",
      source: "codex's config.toml",
      candidates: ["gpt-5.5"],
    });
    put(
      "c/config.toml",
      `profile = "deep"\nmodel = 'plain'\n[profiles.deep]\nmodel = "deeper"\nmodel_provider = "x"\n`,
    );
    expect(await detect(codex(), { CODEX_HOME: join(home, "c") })).toMatchObject({
      model: "deeper",
      provider: "x",
      candidates: ["deeper", "plain"],
    });
  });

  it("is read from the strings of a TOML file, and from nothing similar", () => {
    const toml = `
a = "x \\"y\\"" # c
"b" = 'lit\\eral'
n = 3
long = """
a = "not this"
"""
[t . "u"]
a = "z"
[[list]]
a = "nor this"
`;
    expect(Object.fromEntries(readTexts(toml))).toEqual({
      a: 'x "y"',
      b: "lit\\eral",
      "t.u.a": "z",
      "[[]].a": "nor this",
    });
  });
});

/** Replaces opencode and counts its calls. */
const listing = (lines: string): string => {
  put("bin/opencode", `#!/bin/sh\necho x >> "$HOME/asked"\nprintf '${lines}'\n`);
  chmodSync(join(home, "bin", "opencode"), 0o755);
  return `${join(home, "bin")}:/usr/bin:/bin`;
};
const timesAsked = () => readFileSync(join(home, "asked"), "utf8").trim().split("\n").length;

describe("opencode's models", () => {
  it("are the first words of its lines that name a provider, each once, sorted", async () => {
    const PATH = listing("b/two Second\\na/one\\nnonsense\\nb/two\\n a/nested/three\\n");
    const adapter = opencode();
    expect((await adapter.listModels?.(context(adapter, { PATH })))?.map(({ id }) => id)).toEqual([
      "a/nested/three",
      "a/one",
      "b/two",
    ]);
  });

  it("are queried once a minute per company, command, directory and environment, and on refresh", async () => {
    const PATH = listing("a/one\\n");
    const adapter = opencode();
    const ask = (more: Record<string, string> = {}, refresh = false) =>
      adapter.listModels?.({ ...context(adapter, { PATH, ...more }), refresh });
    await ask();
    await ask();
    expect(timesAsked()).toBe(1);
    await ask({}, true);
    expect(timesAsked()).toBe(2);
    await ask({ OPENAI_API_KEY: "another" });
    expect(timesAsked()).toBe(3);
    await adapter.listModels?.({ ...context(adapter, { PATH }), companyId: "company-2" });
    expect(timesAsked()).toBe(4);
  });

  it("are none if it is not installed", async () => {
    const adapter = opencode();
    expect(await adapter.listModels?.(context(adapter, { PATH: "/nowhere" }))).toEqual([]);
  });

  it("detected is the configured one, else the first of the list", async () => {
    const PATH = listing("b/two\\na/one\\n");
    expect(await detect(opencode(), { PATH })).toEqual({
      model: "a/one",
      provider: "a",
      source: "opencode models",
      candidates: ["a/one", "b/two"],
    });
    put(
      ".config/opencode/opencode.jsonc",
      '{ // mine\n "model": "c/three", "provider": {"c": {"options": {"baseURL": "https://c.example", }}}, }',
    );
    expect(await detect(opencode(), { PATH })).toMatchObject({
      model: "c/three",
      provider: "c",
      source: "opencode's configuration",
    });
    expect(await detect(opencode(), { PATH, OPENCODE_CONFIG_CONTENT: '{"model":"d/four"}' })).toMatchObject({
      model: "d/four",
      source: "$OPENCODE_CONFIG_CONTENT",
    });
  });
});

describe("testing opencode's environment", () => {
  const codesOf = async (PATH: string) => {
    const adapter = opencode();
    const { checks } = await adapter.testEnvironment(context(adapter, { PATH }, { model: "a/one" }));
    return checks.map(({ level, code }) => `${level} ${code.replace("adapter_c_", "")}`).slice(-2);
  };

  it("reports its models before the test of hello", async () => {
    expect(await codesOf(listing("b/two\\n"))).toEqual([
      "info models_discovered",
      "error hello_probe_model_unavailable",
    ]);
    expect(await codesOf(listing("a/one\\n"))).toEqual([
      "info models_discovered",
      "error hello_probe_failed",
    ]);
  });

  it("tells an empty list from a missing one", async () => {
    expect((await codesOf(listing("none\\n")))[0]).toBe("warn models_empty");
    const broken = listing("");
    put("bin/opencode", "#!/bin/sh\nexit 3\n");
    expect((await codesOf(broken))[0]).toBe("warn models_discovery_failed");
  });
});

describe("the models of an agent over ACP", () => {
  const agent = fileURLToPath(new URL("../support/acp-agent.mjs", import.meta.url));
  const of = (opened: object | null, config: Record<string, unknown> = {}) => {
    const steps = opened === null ? [{ error: { code: -32000, message: "Sign in." } }] : [{ result: opened }];
    const plan = JSON.stringify({ "session/new": steps });
    const env = { PATH: process.env.PATH ?? "", ACP_AGENT: plan, HEARD: join(root, "heard") };
    return { ...context(acp(), env, { agent: "custom", command: agent, ...config }) };
  };
  const options = (...of: string[]) => of.map((value) => ({ value, name: value.toUpperCase() }));
  const byOption = (options: object[]) => ({
    sessionId: "s-1",
    configOptions: [
      { id: "mode", category: "mode", currentValue: "m", options: [{ value: "m", name: "M" }] },
      { id: "llm", category: "model", currentValue: "b/two", options },
    ],
  });
  const receivedMethods = () =>
    readFileSync(join(root, "heard"), "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).method);

  it("are those of an option of a new session, also in groups, which gets no prompt", async () => {
    const grouped = [{ group: "g", name: "G", options: options("c/three") }, ...options("b/two")];
    const asked = of(byOption(grouped));
    expect(await acp().listModels?.(asked)).toEqual([
      { id: "c/three", label: "C/THREE" },
      { id: "b/two", label: "B/TWO" },
    ]);
    expect(await acp().detectModel?.(asked)).toEqual({
      model: "b/two",
      provider: "b",
      source: "a new session of custom",
      candidates: ["b/two"],
    });
    // The second question is answered by the first one's list.
    expect(receivedMethods()).toEqual(["initialize", "session/new"]);
    await acp().listModels?.({ ...asked, refresh: true });
    expect(receivedMethods()).toHaveLength(4);
  });

  it("are those of the older list", async () => {
    const models = {
      currentModelId: "a",
      availableModels: [{ modelId: "a", name: "A" }, { modelId: "" }, {}],
    };
    expect(await acp().listModels?.(of({ sessionId: "s-1", models }))).toEqual([{ id: "a", label: "A" }]);
  });

  it("are none of an agent that opens no session, tells none, or is not named", async () => {
    for (const asked of [
      of(null),
      of({ sessionId: "s-1" }),
      of({}, { agent: "" }),
      of({}, { command: "/no" }),
    ]) {
      expect(await acp().listModels?.(asked)).toEqual([]);
      expect(await acp().detectModel?.(asked)).toBeNull();
    }
  });
});

describe("codex's models", () => {
  let server: Server;
  let asked: number;
  let answer: string;
  let redirect: string | null;
  beforeEach(async () => {
    asked = 0;
    redirect = null;
    answer = JSON.stringify({ data: [{ id: "gpt-10" }, { id: "gpt-5.5" }, { id: "Gpt-9" }, { id: "" }, {}] });
    server = createServer((_request, response) => {
      asked += 1;
      if (redirect !== null) return void response.writeHead(302, { location: redirect }).end();
      response.writeHead(answer === "" ? 500 : 200, { "content-type": "application/json" }).end(answer);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  });
  afterEach(() => server.close());

  const ask = async (key: string, refresh = false, companyId = "company-1") => {
    const adapter = codex();
    const OPENAI_BASE_URL = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
    return (
      await adapter.listModels?.({
        ...context(adapter, { OPENAI_BASE_URL, OPENAI_API_KEY: key }),
        ...{ companyId, refresh },
      })
    )?.map(({ id }) => id);
  };

  it("are ours, in our order, without a key or an answer", async () => {
    expect(await ask("")).toEqual(codex().models.map(({ id }) => id));
    answer = "";
    expect(await ask("key-of-nobody")).toEqual(codex().models.map(({ id }) => id));
  });

  it("are ours where the provider redirects, and the key reaches no other server", async () => {
    const keys: unknown[] = [];
    const other = createServer((request, response) => {
      keys.push(request.headers.authorization);
      response.end(answer);
    });
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    redirect = `http://127.0.0.1:${(other.address() as AddressInfo).port}/v1/models`;
    expect(await ask("key-redirected")).toEqual(codex().models.map(({ id }) => id));
    other.close();
    expect([asked, keys]).toEqual([1, []]);
  });

  it("are ours and the provider's, each once, sorted by number and without regard to case", async () => {
    const ids = (await ask("key-merged")) ?? [];
    expect(ids.filter((id) => id === "gpt-5.5")).toHaveLength(1);
    expect(ids.slice(-2)).toEqual(["Gpt-9", "gpt-10"]);
    expect(ids.slice(0, 2)).toEqual(["gpt-5", "gpt-5-codex"]);
  });

  it("are queried once a minute, and on refresh; the last good list survives a failure", async () => {
    await ask("key-cached");
    await ask("key-cached");
    expect(asked).toBe(1);
    answer = "";
    expect(await ask("key-cached", true)).toContain("gpt-10");
    expect(asked).toBe(2);
  });

  it("are those of the whole key and the company: none is shown the list of another account", async () => {
    await ask("one-account-abcdef");
    answer = "";
    for (const [key, company] of [
      ["two-account-abcdef", "company-1"],
      ["one-account-abcdef", "company-2"],
    ] as const)
      expect(await ask(key, false, company)).toEqual(codex().models.map(({ id }) => id));
    expect(asked).toBe(3);
  });
});
