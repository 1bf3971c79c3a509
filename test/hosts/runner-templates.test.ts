import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer as createHttpServer, type RequestListener } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo, Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as Effect from "effect/Effect";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { childProcessRunner } from "../../adapters-infra/local/child-process-runner.ts";
import { engineWorkspaces } from "../../adapters-infra/runner-helper/engine-workspaces.ts";
import { readConfig } from "../../hosts/composition/config.ts";
import { openRunners } from "../../hosts/composition/wiring/open-runners.ts";
import { installation } from "../support/installation.ts";

const folder = mkdtempSync(join(tmpdir(), "br-templates-"));
const servers: Server[] = [];
afterAll(() => {
  for (const server of servers) server.close();
  rmSync(folder, { recursive: true });
});

const local = {
  processes: childProcessRunner({ installation }),
  workspaces: engineWorkspaces("container"),
  volume: null,
};

const openTemplate = async (yaml: string, env: Readonly<Record<string, string>> = {}) => {
  const dataDir = mkdtempSync(join(folder, "data-"));
  mkdirSync(join(dataDir, "runners"));
  writeFileSync(join(dataDir, "runners/box.yaml"), yaml);
  const config = readConfig({
    SERVICE_DATA_DIR: dataDir,
    SERVICE_AGENT_URL: "http://10.0.0.1:3100",
    ...env,
  });
  const separation = { level: "not", gaps: [] } as const;
  const runners = await Effect.runPromise(
    openRunners(separation, { config, installation, handoverFiles: null }),
  );
  return runners(local).known.find(({ name }) => name === "box")!;
};

/** Answers /info as engines do. */
const infoOf =
  (id: () => string): RequestListener =>
  (request, answer) => {
    answer.statusCode = request.url === "/info" ? 200 : 404;
    answer.end(JSON.stringify({ ID: id(), Name: "machine" }));
  };

const listening = async <S extends Server>(server: S, at: string | number = 0) => {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(at, resolve));
  return server.address() as AddressInfo;
};

describe("a template of kind docker", () => {
  let socket: string;
  beforeAll(async () => {
    socket = join(folder, "engine.sock");
    await listening(createHttpServer(infoOf(() => "AB:CD")), socket);
  });

  it("gives the engine's own id to the reach, so that its services share it", async () => {
    expect(await openTemplate(`kind: docker\nhost: unix://${socket}\nimage: agents:1`)).toMatchObject({
      kind: "docker",
      reach: "docker/AB:CD",
      problem: null,
    });
  });

  it("needs a name where the engine has no lasting id", async () => {
    let n = 0;
    const { port } = await listening(
      createHttpServer(
        infoOf(() => {
          n += 1;
          return `${n}`;
        }),
      ),
    );
    const yaml = `kind: docker\nhost: http://127.0.0.1:${port}\nimage: agents:1`;
    expect((await openTemplate(yaml)).problem).toMatch(/no lasting id.*name it by engine/);
    expect(await openTemplate(`${yaml}\nengine: box-1`)).toMatchObject({ reach: "docker/box-1" });
  });

  it("may name an engine that is away, and is listed with the reason where it does not", async () => {
    const yaml = `kind: docker\nhost: unix://${folder}/none.sock\nimage: agents:1`;
    expect((await openTemplate(yaml)).problem).toMatch(/does not answer.*ENOENT/);
    expect(await openTemplate(`${yaml}\nengine: box-1`)).toMatchObject({
      reach: "docker/box-1",
      problem: null,
    });
  });

  it.each([
    ["no image", "kind: docker", /^image: /],
    ["an unknown key", "kind: docker\nimage: a\nprivileged: true", /privileged/],
    ["a memory without unit", "kind: docker\nimage: a\nmemory: 2000", /^memory: /],
    ["root as its user", "kind: docker\nimage: a\nrunAsUser: 0", /^runAsUser: /],
    [
      "an engine over the network without certificates",
      "kind: docker\nimage: a\nhost: https://h:2376",
      /^certificates: /,
    ],
    ["an engine over the network in clear", "kind: docker\nimage: a\nhost: http://h:2375", /^host: /],
    ["tcp", "kind: docker\nimage: a\nhost: tcp://h:2375", /^host: must be unix/],
  ])("with %s is listed with its fault", async (_, yaml, fault) => {
    expect(await openTemplate(yaml)).toMatchObject({ reach: null, problem: expect.stringMatching(fault) });
  });

  it("needs the address at which containers reach the service", async () => {
    const yaml = `kind: docker\nhost: unix://${socket}\nimage: a`;
    expect((await openTemplate(yaml, { SERVICE_AGENT_URL: "" })).problem).toMatch(
      /SERVICE_AGENT_URL is not set/,
    );
  });

  it("reaches an engine over TLS that knows its certificate, and no other", async () => {
    const ours = certificates("ours");
    const ofAnotherAuthority = certificates("other-authority");
    const server = createServer(
      {
        ...ours.server,
        ca: ours.ca,
        requestCert: true,
        rejectUnauthorized: true,
      },
      infoOf(() => "TLS"),
    );
    const { port } = await listening(server);
    const yaml = (at: string) =>
      `kind: docker\nhost: https://localhost:${port}\nimage: a\ncertificates: ${at}`;
    expect(await openTemplate(yaml(ours.folder))).toMatchObject({ reach: "docker/TLS", problem: null });
    expect((await openTemplate(yaml(ofAnotherAuthority.folder))).problem).toMatch(/does not answer/);
  });
});

/** A folder as Docker's clients have it, and the key of a server that trusts it. */
const certificates = (name: string) => {
  const at = join(folder, name);
  mkdirSync(at);
  const openssl = (...args: string[]) => execFileSync("openssl", args, { cwd: at, stdio: "ignore" });
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
  openssl(
    "req",
    "-x509",
    ...key,
    "-keyout",
    "ca-key.pem",
    "-out",
    "ca.pem",
    "-days",
    "2",
    "-subj",
    `/CN=${name}`,
  );
  writeFileSync(join(at, "names"), "subjectAltName=DNS:localhost");
  for (const [file, prefix] of [
    ["server", "server-"],
    ["client", ""],
  ] as const) {
    openssl("req", ...key, "-keyout", `${prefix}key.pem`, "-out", `${file}.csr`, "-subj", `/CN=${file}`);
    openssl(
      ...["x509", "-req", "-in", `${file}.csr`, "-CA", "ca.pem", "-CAkey", "ca-key.pem", "-CAcreateserial"],
      ...["-out", `${prefix}cert.pem`, "-days", "2", "-extfile", "names"],
    );
  }
  const read = (file: string) => readFileSync(join(at, file));
  return {
    folder: at,
    ca: read("ca.pem"),
    server: { cert: read("server-cert.pem"), key: read("server-key.pem") },
  };
};
