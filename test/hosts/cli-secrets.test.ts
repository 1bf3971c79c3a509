import { spawn } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pc from "picocolors";
import { afterAll, beforeAll, expect, it } from "vitest";
import { cli } from "../../hosts/cli/cli.ts";
import { preparedDataDirectory } from "../support/prepared-data-directory.ts";
import { region, type SecretsManager, startSecretsManager, variablesOf } from "../support/secrets-manager.ts";
import { program, type ServiceProgram, serveProgram } from "../support/service-program.ts";

/** Values that no command may print; some contain special characters of shells, JSON and terminals. */
const values = {
  fromFile: 'from-a-file-"quoted"\\and $HOME-1b2c',
  fromStdin: "from-stdin-öäü-3d4e",
  rotated: "rotated-value-5f6a-with-more",
  inCloud: "kept-in-the-cloud-7b8c",
  imported: "imported-from-afar-9d0e",
  refused: "never-as-an-argument-1f2a",
};

let manager: SecretsManager;
let service: ServiceProgram;
let scratch: string;
const outputs: { command: string; text: string }[] = [];
const commandLines = new Set<string>();

interface Done {
  readonly code: number | null;
  readonly out: string;
  readonly error: string;
}

/** Runs the program in a process; keeps its entry in the process list. */
const inProcess = (args: readonly string[], stdin: string): Promise<Done> =>
  new Promise((resolve) => {
    const child = spawn(process.execPath, [program, ...args], { env: environment() });
    let out = "";
    let error = "";
    child.stdout.on("data", (chunk) => (out += chunk));
    child.stderr.on("data", (chunk) => (error += chunk));
    child.stdin.end(stdin);
    const check = async () =>
      commandLines.add(await readFile(`/proc/${child.pid}/cmdline`, "utf8").catch(() => ""));
    void check();
    child.on("close", (code) => resolve({ code, out, error }));
  });

const environment = () => ({ PATH: process.env.PATH, HOME: scratch, SERVICE_DATA_DIR: service.dataDir });

/** Carries a command out without a process, which would take a fifth of a second of processor time. */
const here = async (args: readonly string[]): Promise<Done> => {
  let out = "";
  let error = "";
  const code = await cli(args, {
    out: (text) => (out += text),
    err: (text) => (error += text),
    stdin: async () => "",
    env: environment(),
    width: null,
    colors: pc.createColors(false),
    now: () => new Date(),
  });
  return { code, out, error };
};

/** Carries a command out, one with a value as people do; keeps its output. */
const boardroom = async (args: readonly string[], stdin = ""): Promise<Done> => {
  const done = await (args.includes("--value") || args[0] === "doctor" ? inProcess(args, stdin) : here(args));
  outputs.push({ command: args.join(" "), text: done.out + done.error });
  return done;
};

const json = async (args: readonly string[], stdin = "") => {
  const done = await boardroom([...args, "--json"], stdin);
  expect(done, args.join(" ")).toMatchObject({ code: 0 });
  return JSON.parse(done.out);
};
const table = async (args: readonly string[]): Promise<string> => {
  const done = await boardroom(args);
  expect(done, args.join(" ")).toMatchObject({ code: 0 });
  return done.out;
};

beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), "boardroom-cli-secrets-"));
  manager = await startSecretsManager();
  service = await serveProgram(await preparedDataDirectory(join(scratch, "data")), {
    ...variablesOf(manager),
    SERVICE_LOG_LEVEL: "trace",
  });
});
afterAll(async () => {
  await service?.stop();
  await manager?.stop();
  await rm(scratch, { recursive: true, force: true });
});

it("secrets and vaults on the command line: created, rotated, linked, imported, bound, and in a program; no output shows a value", async () => {
  const file = join(scratch, "value.txt");
  await writeFile(file, values.fromFile);
  const company = await json(["companies", "create", "--name", "Harbour"]);
  const ofCompany = ["-C", company.id];

  // Creation from a file and from standard input, never from an argument.
  const one = await json(["secrets", "create", ...ofCompany, "--name", "One", "--value", `@${file}`]);
  const quiet = await boardroom(
    ["secrets", "create", ...ofCompany, "--name", "Two", "--value", "-", "--quiet"],
    values.fromStdin,
  );
  const two = quiet.out.trim();
  expect(two).toMatch(/^[0-9a-f-]{36}$/);
  const refused = await boardroom([
    "secrets",
    "create",
    ...ofCompany,
    "--name",
    "X",
    "--value",
    values.refused,
  ]);
  expect(refused.code).toBe(2);
  expect(refused.error).toMatch(/@file|stdin/);
  commandLines.clear();

  expect(await table(["secrets", "list", ...ofCompany])).toMatch(/Two[\s\S]*One/);
  expect(await json(["secrets", "list", ...ofCompany])).toHaveLength(2);
  expect(await table(["secrets", "rotate", two, "--value", `@${file}`])).toBeTruthy();
  expect((await json(["secrets", "rotate", two, "--value", "-"], values.rotated)).latestVersion).toBe(3);
  expect(await table(["secrets", "versions", two])).toMatch(/3[\s\S]*2[\s\S]*1/);
  expect(await json(["secrets", "get", two])).toMatchObject({ id: two, latestVersion: 3 });
  await table(["secrets", "show", two]);

  // Vaults.
  const config = JSON.stringify({ region });
  const cloud = await json([
    ...["vaults", "create", ...ofCompany, "--provider", "cloud_a_secrets_manager"],
    ...["--display-name", "Cloud", "--config", config],
  ]);
  const spare = await json([
    "vaults",
    "create",
    ...ofCompany,
    "--provider",
    "local_encrypted",
    "--display-name",
    "Spare",
  ]);
  expect(await json(["vaults", "check-health", cloud.id])).toMatchObject({ status: "ready" });
  expect(await table(["vaults", "check-health", spare.id])).toContain("ready");
  expect(await json(["vaults", "set-default", cloud.id])).toMatchObject({ isDefault: true });
  expect(await table(["vaults", "list", ...ofCompany])).toMatch(/Cloud[\s\S]*Spare|Spare[\s\S]*Cloud/);
  expect(await json(["vaults", "disable", spare.id])).toMatchObject({ status: "disabled" });
  const intoDisabled = await boardroom(
    ["secrets", "create", ...ofCompany, "--name", "X", "--value", "-", "--provider-config-id", spare.id],
    values.inCloud,
  );
  expect(intoDisabled.code).toBe(1);
  const badVault = await boardroom([
    ...["vaults", "create", ...ofCompany, "--provider", "local_encrypted", "--display-name", "Bad"],
    ...["--config", JSON.stringify({ password: "credential-in-a-config" })],
  ]);
  expect(badVault.code).toBe(1);
  expect(badVault.out + badVault.error).not.toContain("credential-in-a-config");
  await table(["secrets", "providers-health", ...ofCompany]);

  // Export to the cloud, and import from it.
  const inCloud = await json(
    [
      ...["secrets", "create", ...ofCompany, "--name", "InCloud", "--provider", "cloud_a_secrets_manager"],
      ...["--provider-config-id", cloud.id, "--value", "-"],
    ],
    values.inCloud,
  );
  const externalRef = manager.put("afar/db", values.imported, { description: "of the database" });
  manager.put("afar/other", values.imported);
  const from = [...ofCompany, "--provider-config-id", cloud.id];
  const preview = await json(["secrets", "preview-import", ...from, "--query", "afar", "--page-size", "1"]);
  expect(preview.candidates).toHaveLength(1);
  expect(preview.nextToken).toBeTruthy();
  const rest = await json([
    ...["secrets", "preview-import", ...from, "--query", "afar", "--page-size", "1"],
    ...["--next-token", preview.nextToken],
  ]);
  const names = [...preview.candidates, ...rest.candidates].map(({ remoteName }) => remoteName);
  expect(names.sort()).toEqual(["afar/db", "afar/other"]);
  await table(["secrets", "preview-import", ...from, "--query", "afar"]);
  const rows = join(scratch, "rows.json");
  await writeFile(rows, JSON.stringify([{ externalRef, name: "Afar" }, { externalRef: "" }]));
  const imported = await json(["secrets", "import", ...from, "--secrets", `@${rows}`]);
  expect(imported.results.map(({ status }: { status: string }) => status)).toEqual(["imported", "error"]);
  const again = await table(["secrets", "import", ...from, "--secrets", JSON.stringify([{ externalRef }])]);
  expect(again).toContain("skipped");
  const afar = imported.results[0].secretId;
  expect(manager.forgeries).toEqual([]);

  // Bound to an agent, whose program gets only the values.
  const ref = (secretId: string, version: number | "latest" = "latest") => ({
    type: "secret_ref",
    secretId,
    version,
  });
  const agentFile = join(scratch, "agent.json");
  const expected = {
    ONE: values.fromFile,
    TWO: values.rotated,
    TWO_FIRST: values.fromStdin,
    CLOUD: values.inCloud,
    AFAR: values.imported,
  };
  const expectations = join(scratch, "expected.json");
  await writeFile(expectations, JSON.stringify(expected));
  await writeFile(
    agentFile,
    JSON.stringify({
      command: process.execPath,
      args: [
        "-e",
        `const wanted = JSON.parse(require("fs").readFileSync(${JSON.stringify(expectations)}, "utf8"));
         for (const [name, value] of Object.entries(wanted)) if (process.env[name] !== value) { console.log("wrong: " + name); process.exitCode = 3; }
         console.log("said: " + process.env.TWO + " " + JSON.stringify(process.env));`,
      ],
      env: {
        ONE: ref(one.id),
        TWO: ref(two),
        TWO_FIRST: ref(two, 1),
        CLOUD: ref(inCloud.id),
        AFAR: ref(afar),
      },
    }),
  );
  const agent = await json([
    ...["agents", "create", ...ofCompany, "--name", "Ada", "--adapter-type", "process"],
    ...["--adapter-config", `@${agentFile}`],
  ]);
  await table(["agents", "get", agent.id]);
  const usage = await json(["secrets", "usage", two]);
  expect(usage.bindings).toHaveLength(2);
  expect(await table(["secrets", "usage", two])).toContain("Ada");
  const runs: string[] = [];
  const invoke = async () => {
    const { id } = await json(["agents", "invoke", agent.id]);
    runs.push(id);
    await boardroom(["runs", "follow", id, "--quiet"]);
    return json(["runs", "get", id]);
  };
  expect(await invoke()).toMatchObject({ status: "succeeded", exitCode: 0 });
  const followed = await table(["runs", "follow", runs[0]!]);
  expect(followed).toContain("said: ••••");
  expect(await table(["secrets", "access-events", two])).toContain("success");
  expect((await json(["secrets", "access-events", afar])).length).toBe(1);

  // Disabled: the next run fails before its program starts, and names the variable.
  await table(["secrets", "update", afar, "--status", "disabled"]);
  const failed = await invoke();
  expect(failed.status).toBe("failed");
  expect(await table(["runs", "show", runs[1]!])).toContain("AFAR");
  // The provider is unreachable: the message is ours.
  await table(["secrets", "update", afar, "--status", "active"]);
  manager.goAway();
  expect(await json(["vaults", "check-health", cloud.id])).toMatchObject({ status: "error" });
  expect((await boardroom(["secrets", "preview-import", ...from])).code).toBe(1);
  expect((await invoke()).errorCode).toBe("secret_provider_unavailable");
  manager.comeBack();
  expect(await invoke()).toMatchObject({ status: "succeeded" });

  await table(["activity", "list", ...ofCompany]);
  await table(["doctor"]);
  for (const { command, text } of outputs)
    for (const [name, value] of Object.entries(values))
      for (const form of [value, JSON.stringify(value).slice(1, -1)])
        if (name !== "refused" || command.includes(values.refused))
          expect([command, name, text.includes(form)]).toEqual([command, name, false]);
  const exposed = [...commandLines, service.output()];
  for (const value of Object.values(values)) for (const text of exposed) expect(text).not.toContain(value);
  expect((await readdir(scratch)).length).toBeGreaterThan(0);
  console.log(`${outputs.length} commands`);
});
