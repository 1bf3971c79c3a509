import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { packed } from "./tar.ts";

export const writeFiles = (directory: string, files: Readonly<Record<string, string>>): string => {
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, file)), { recursive: true });
    writeFileSync(join(directory, file), text);
  }
  return directory;
};

export interface ExternalAdapterCode {
  readonly type: string;
  /** Body of `execute(context)`. */
  readonly execute?: string;
  /** Code before everything else in the module. */
  readonly top?: string;
  /** Members of the adapter, each followed by a comma. */
  readonly members?: string;
}

export const externalAdapterCode = ({
  type,
  execute,
  top = "",
  members = "",
}: ExternalAdapterCode): string => `
${top}
export const type = ${JSON.stringify(type)};
export const label = "An external adapter";
export const models = [{ id: "m", label: "M" }];
export const agentConfigurationDoc = "# " + type;
export const createServerAdapter = () => ({
  type, models, agentConfigurationDoc,
  testEnvironment: async ({ adapterType }) => ({ adapterType, status: "pass", testedAt: "", checks: [
    { level: "info", code: "here", message: "pid " + process.pid } ] }),
  execute: async (context) => { ${execute ?? "return { exitCode: 0, timedOut: false };"} },
  ${members}
});`;

/** An external adapter package in a folder of its own. */
export const externalAdapterPackage = (
  folder: string,
  name: string,
  code: string,
  manifest: Readonly<Record<string, unknown>> = {},
): string =>
  writeFiles(join(folder, name), {
    "package.json": JSON.stringify({
      name,
      version: "1.0.0",
      type: "module",
      exports: { ".": "./index.js", "./server": "./index.js", "./ui-parser": "./ui.cjs" },
      files: ["index.js", "ui.cjs"],
      boardroom: { uiParser: "1.0.0" },
      ...manifest,
    }),
    "index.js": code,
    "ui.cjs": `module.exports.parseStdoutLine = (line, ts) => [{ kind: "assistant", ts, text: "<" + line + ">" }];`,
  });

export const temporaryFolder = (): string => mkdtempSync(join(tmpdir(), "external-adapters-"));

/** An npm registry on this machine that serves the packages added to it. */
export interface PackageRegistry {
  readonly url: string;
  /** Packs a folder; `integrity` replaces the correct one. */
  publish(directory: string, options?: { readonly integrity?: string; readonly archive?: Buffer }): void;
  /** Requests for archives wait until they are released. */
  hold(): () => void;
  /** The requested addresses. */
  readonly asked: readonly string[];
  close(): void;
}

export const packageRegistry = async (): Promise<PackageRegistry> => {
  const archives = new Map<string, Buffer>();
  const packages = new Map<string, { latest: string; versions: Record<string, object> }>();
  const asked: string[] = [];
  let released: Promise<void> = Promise.resolve();
  const server = createServer(async (request, response) => {
    const path = decodeURIComponent(request.url ?? "");
    asked.push(path);
    const archive = archives.get(path);
    if (archive !== undefined) {
      await released;
      return void response.end(archive);
    }
    const found = packages.get(path.slice(1));
    if (found === undefined) return void response.writeHead(404).end("{}");
    response.setHeader("content-type", "application/json");
    response.end(
      JSON.stringify({
        name: path.slice(1),
        "dist-tags": { latest: found.latest },
        versions: found.versions,
      }),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    asked,
    publish: (directory, { integrity, archive: given } = {}) => {
      const manifest = JSON.parse(readFileSync(join(directory, "package.json"), "utf8"));
      const { name, version } = manifest;
      const file = `${name.replace("@", "").replace("/", "-")}-${version}.tgz`;
      const archive = given ?? packed(directory);
      archives.set(`/-/${file}`, archive);
      const truth = `sha512-${createHash("sha512").update(archive).digest("base64")}`;
      const { versions = {} } = packages.get(name) ?? {};
      const dist = { tarball: `${url}/-/${file}`, integrity: integrity ?? truth };
      packages.set(name, { latest: version, versions: { ...versions, [version]: { ...manifest, dist } } });
    },
    hold: () => {
      let letGo = () => {};
      released = new Promise((resolve) => {
        letGo = resolve;
      });
      return letGo;
    },
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
};
