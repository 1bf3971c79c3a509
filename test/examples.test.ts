import { execFile } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { chmod, cp, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { adapterFiles } from "../hosts/cli/commands/new-adapter.ts";
import { oidcFields } from "../hosts/composition/oidc-settings.ts";
import { settings } from "../hosts/composition/settings.ts";
import { memoryFolder } from "./support/memory-folder.ts";
import { preparedDataDirectory } from "./support/prepared-data-directory.ts";
import { program, type ServiceProgram, serveProgram } from "./support/service-program.ts";

const run = promisify(execFile);

const root = new URL("../", import.meta.url);
/** Pages of the repository, for those who report, upgrade or change something. */
const repositoryPages = ["SECURITY.md", "CHANGELOG.md", "CONTRIBUTING.md"];
const pageNames = [
  "README.md",
  ...repositoryPages,
  ...readdirSync(new URL("docs", root))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`),
];
const pages = new Map(pageNames.map((name) => [name, readFileSync(new URL(name, root), "utf8")]));

/** Reads the commands of a page, in order: those below `<!-- walk -->`. */
const walkOf = (page: string): string =>
  [...page.matchAll(/<!-- walk -->\n```sh\n([\s\S]*?)```/g)].map(([, block]) => block).join("\n");

const walked = pageNames.filter((name) => walkOf(pages.get(name)!) !== "");

describe("the pages", () => {
  let folder: string;
  let memory: string;
  let service: ServiceProgram;

  beforeAll(async () => {
    // No agent sees what lies in memory; the commands name the data directory by its place beside them.
    folder = await mkdtemp(join(tmpdir(), "pages-"));
    memory = await mkdtemp(join(memoryFolder(), "pages-"));
    await symlink(memory, join(folder, "data"));
    service = await serveProgram(await preparedDataDirectory(memory));
    // In a checkout `npx boardroom` runs the checkout's program; this folder is not a checkout.
    await writeFile(join(folder, "npx"), `#!/bin/sh\nshift\nexec "${process.execPath}" "${program}" "$@"\n`);
    await chmod(join(folder, "npx"), 0o755);
    await cp(fileURLToPath(new URL("plugins/echo", root)), join(folder, "plugins/echo"), { recursive: true });
  });
  afterAll(async () => {
    await service?.stop();
    for (const each of [folder, memory]) await rm(each, { recursive: true, force: true });
  });

  /** Runs the commands of a page in one shell next to the service's data directory, and returns their output. */
  const walk = async (name: string): Promise<string> => {
    const commands = walkOf(pages.get(name)!)
      .replaceAll("http://127.0.0.1:3100", service.url)
      .replaceAll("PORT=3200", "PORT=0");
    const { stdout } = await run("bash", ["-euo", "pipefail", "-c", commands], {
      cwd: folder,
      env: {
        PATH: [folder, process.env.PATH].join(delimiter),
        HOME: folder,
        SERVICE_DATA_DIR: service.dataDir,
        SERVICE_DATABASE_DURABLE: "false",
        NO_COLOR: "1",
      },
    });
    return stdout;
  };

  it("README.md leads from an empty machine to a finished issue in five minutes", async () => {
    const stdout = await walk("README.md");
    expect(stdout).toContain("wake reason: issue_assigned");
    expect(stdout).toContain("The harbour is open from six to ten.");
    expect(stdout).toMatch(/status\s+done/i);
  });

  it("docs/agents-and-adapters.md leads from an empty machine to an agent with an adapter of one's own", async () => {
    const stdout = await walk("docs/agents-and-adapters.md");
    expect(stdout).toContain("--adapter-type light_house");
    expect(stdout).toMatch(/^✓ type is snake_case$/m);
    expect(stdout).not.toContain("✗");
    expect(stdout).toMatch(/^light_house +.*loaded/m);
    expect(stdout).toMatch(/^● Working on ADA-1: Light the lamp$/m);
    expect(stdout).not.toContain("parser could not be used");
    expect(stdout).toMatch(/status\s+done/i);
    expect(stdout).toMatch(/^● The harbour is open\.$/m);
    const board = await service.board();
    expect(await board.adapters.get({ adapterType: "echo" })).toMatchObject({
      source: "local",
      status: "loaded",
    });
  });

  const others = walked.filter((name) => !/^README|agents-and-adapters/.test(name));
  it.each(others)("%s shows commands that work", async (name) => {
    expect(await walk(name)).not.toBe("");
  });

  it.each(pageNames)("%s runs each block of commands, or gives a reason", (name) => {
    const blocks = [...pages.get(name)!.matchAll(/(.*)\n```sh\n/g)].map(([, above]) => above);
    expect(blocks.filter((above) => !/^<!-- (walk(: [a-z0-9 ]+)?|not run: .+) -->$/.test(above!))).toEqual(
      [],
    );
  });

  it.each(pageNames)(
    "%s answers a question in its first line if it is in docs, and its links exist",
    (name) => {
      const page = pages.get(name)!;
      if (name.startsWith("docs/")) expect(page.split("\n")[2]).toContain("?");
      const anchors = (text: string) =>
        [...text.matchAll(/^#+ (.+)$/gm)].map(([, title]) =>
          title!
            .toLowerCase()
            .replace(/[^\w\- ]/g, "")
            .replaceAll(" ", "-"),
        );
      for (const [, target, anchor] of page.matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)/g)) {
        const file = target === "" ? new URL(name, root) : new URL(target!, new URL(name, root));
        expect(existsSync(file), `${name}: ${target}`).toBe(true);
        if (anchor !== undefined) expect(anchors(readFileSync(file, "utf8"))).toContain(anchor);
      }
    },
  );
});

describe("docs/configuration.md", () => {
  it("has a row for every setting that the service reads, with its default, and for no other", () => {
    const rows = new Map(
      [...pages.get("docs/configuration.md")!.matchAll(/^\| (`[A-Z].*?`) \| `?(.*?)`? ?\|/gm)].flatMap(
        ([, names, usual]) =>
          [...names!.matchAll(/`([A-Z][A-Z0-9_]+)`/g)].map(([, name]) => [name!, usual!] as const),
      ),
    );
    const readElsewhere = readdirSync(new URL("hosts", root), { recursive: true, encoding: "utf8" })
      .filter((path) => /\.tsx?$/.test(path) && !path.includes("node_modules"))
      .concat("http/engine/index.js")
      .flatMap((path) => [
        ...readFileSync(new URL(`hosts/${path}`, root), "utf8").matchAll(
          /(?:\benv\.|\breadSecret\(env, "|\bgiven\("|"(?=OTEL_))((?:SERVICE|BOARDROOM|OTEL)_[A-Z0-9_]+)/g,
        ),
      ])
      .map(([, name]) => name!);
    const read = new Set([
      ...Object.keys(settings.shape),
      ...oidcFields.map((field) => `SERVICE_OIDC_${field}`),
      ...readElsewhere,
    ]);
    expect([...rows.keys()].sort()).toEqual(
      [...read].filter((name) => !/CRASH|OTLP_(?:TRACES|METRICS)|SECRET_FILE$/.test(name)).sort(),
    );

    const usual = settings.parse({});
    for (const [name, value] of Object.entries(usual))
      if (value !== "" && value !== undefined)
        expect(rows.get(name), name).toBe(
          typeof value === "number" && value >= 1024 ** 2 ? `${value / 1024 ** 2} MiB` : `${value}`,
        );
  });
});

describe("docs/architecture.md", () => {
  it("gives a reason for every dependency, and for no other package", () => {
    const [, table = ""] = pages.get("docs/architecture.md")!.split("## Dependencies and their reasons\n");
    const explained = [...table.matchAll(/^\| ([^|]+) \|/gm)]
      .flatMap(([, names]) => names!.split(", "))
      .slice(2);
    const { dependencies, optionalDependencies, devDependencies } = JSON.parse(
      readFileSync(new URL("package.json", root), "utf8"),
    );
    const used = Object.keys({ ...dependencies, ...optionalDependencies, ...devDependencies });
    const isNamed = (name: string) =>
      explained.includes(name) || explained.includes(name.replace(/\/.*/, "/*"));
    expect(used.filter((name) => !isNamed(name))).toEqual([]);
    const isUsed = (name: string) => used.some((one) => one === name || one.replace(/\/.*/, "/*") === name);
    expect(explained.filter((name) => !isUsed(name))).toEqual([]);
  });
});

describe("examples/embed.mjs", () => {
  it("runs a Boardroom inside its own program, and ends by itself", async () => {
    const data = await mkdtemp(join(memoryFolder(), "embed-"));
    await preparedDataDirectory(data);
    const example = fileURLToPath(new URL("../examples/embed.mjs", import.meta.url));
    const env = { ...process.env, SERVICE_DATABASE_DURABLE: "false" };
    const { stdout } = await run(process.execPath, [example, data], { env });
    await rm(data, { recursive: true, force: true });
    expect(stdout).toBe("HAR-1 is done\nAda: The harbour is open from six to ten.\nThis is our own page.\n");
  });
});

describe("boardroom/plugin", () => {
  /** The rules that a package breaks, by defect. */
  const conformance = async (folder: string, config: object = {}) => {
    const script = `import { checkConformance } from "boardroom/plugin";
      console.log(JSON.stringify(await checkConformance(process.argv[1], { config: JSON.parse(process.argv[2]) })));`;
    const args = ["--input-type=module", "--eval", script, folder, JSON.stringify(config)];
    const { stdout } = await run(process.execPath, args, {
      cwd: fileURLToPath(new URL("..", import.meta.url)),
    });
    const found: { rule: string; problem: string | null }[] = JSON.parse(stdout);
    expect(found.length).toBeGreaterThan(8);
    return found.filter(({ problem }) => problem !== null);
  };

  it("passes the package that `adapters new` writes, and reports each defect that is added", async () => {
    const folder = await mkdtemp(join(tmpdir(), "conformance-"));
    for (const [name, text] of Object.entries(adapterFiles("light-house")))
      await writeFile(join(folder, name), text);
    expect(await conformance(folder)).toEqual([]);

    const careless = adapterFiles("light-house")["index.js"]!.replace('"light_house"', '"Light House"');
    await writeFile(join(folder, "index.js"), careless.replace("testedAt: new", "testedAt: 'now' ?? new"));
    await writeFile(join(folder, "ui-parser.cjs"), "exports.parseStdoutLine = (line) => JSON.parse(line);");
    expect((await conformance(folder)).map(({ rule }) => rule)).toEqual([
      "type is snake_case",
      "testEnvironment fails exactly where a check is an error",
      "the UI parser is self-contained, touches nothing and survives hostile lines",
    ]);
    await rm(folder, { recursive: true, force: true });
  });
});
