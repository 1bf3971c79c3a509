import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Duplex, Readable } from "node:stream";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { startFiles, workFolders } from "../../adapters-infra/docker/container.ts";
import { dockerEngine } from "../../adapters-infra/docker/docker-engine.ts";
import { withoutHeaders } from "../../adapters-infra/docker/log-stream.ts";
import { tarOf } from "../../adapters-infra/docker/tar.ts";
import { engineHttp } from "../../adapters-infra/runner-helper/engine-http.ts";

describe("the archive that starts a container", () => {
  it("is read by tar, with its owners, modes and bytes", () => {
    const folder = mkdtempSync(join(tmpdir(), "br-tar-"));
    const specification = `{"stdin":"h\u00e9llo${"x".repeat(70_000)}"}`;
    const tar = tarOf(startFiles("// helper", specification, 1000).entries);
    const list = execFileSync("tar", ["--numeric-owner", "-tvf", "-"], { input: tar }).toString();
    expect(list).toMatch(/^-r--r--r-- 0\/0 +9 .* helper\.mjs$/m);
    expect(list).toMatch(/^drwx------ 1000\/1000 +0 .* input\/?$/m);
    expect(list).toMatch(/^-r-------- 1000\/1000 +\d+ .* input\/spec$/m);
    const read = execFileSync("tar", ["-xOf", "-", "input/spec"], { input: tar, cwd: folder });
    expect(read.toString()).toBe(specification);
    rmSync(folder, { recursive: true });
  });

  it("makes the folders of an agent's volume and nothing next to it", () => {
    const paths = [
      "/boardroom/work/workspace",
      "/boardroom/work/home",
      "/boardroom/work/deep/er",
      "/boardroom/work/../files/x",
      "/boardroom/work/",
      "/etc",
      undefined,
    ];
    expect(workFolders(paths, 7).entries).toEqual([
      { path: "workspace", mode: 0o700, uid: 7 },
      { path: "home", mode: 0o700, uid: 7 },
      { path: "deep", mode: 0o700, uid: 7 },
    ]);
  });
});

describe("the log of a container", () => {
  it("is the bytes of its pieces, however the connection cuts them", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 12 }),
        fc.array(fc.integer({ min: 1, max: 15 }), { minLength: 1, maxLength: 20 }),
        async (pieces, cuts) => {
          const sent = Buffer.concat(
            pieces.flatMap((piece) => {
              const header = Buffer.from([1, 0, 0, 0, 0, 0, 0, 0]);
              header.writeUInt32BE(piece.length, 4);
              return [header, Buffer.from(piece)];
            }),
          );
          const chunks = async function* () {
            for (let at = 0, n = 0; at < sent.length; n += 1) {
              const length = cuts[n % cuts.length]!;
              yield sent.subarray(at, at + length);
              at += length;
            }
          };
          const read: Buffer[] = [];
          for await (const piece of withoutHeaders(chunks())) read.push(piece);
          expect(Buffer.concat(read)).toEqual(Buffer.concat(pieces));
        },
      ),
    );
  });
});

describe("the input of a container", () => {
  const engineAt = async (onUpgrade: (request: IncomingMessage, socket: Duplex) => void) => {
    const folder = mkdtempSync(join(tmpdir(), "br-engine-"));
    const socketPath = join(folder, "engine.sock");
    const server = createServer().on("upgrade", onUpgrade).listen(socketPath);
    await once(server, "listening");
    const access = { ca: undefined, cert: undefined, key: undefined, token: () => null };
    const engine = dockerEngine(engineHttp({ server: `unix://${socketPath}`, ...access }));
    const close = () => {
      server.close();
      rmSync(folder, { recursive: true });
    };
    return { engine, close };
  };

  it("is connected to by an upgrade, as bytes without a frame", async () => {
    const asked: string[] = [];
    let got = "";
    const { engine, close } = await engineAt(({ method, url, headers }, socket) => {
      asked.push(`${method} ${url} ${headers.upgrade} ${headers["content-length"] ?? "without a body"}`);
      socket.write(
        "HTTP/1.1 101 UPGRADED\r\nContent-Type: application/vnd.docker.raw-stream\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n",
      );
      socket.on("data", (piece: Buffer) => {
        got += piece.toString();
        if (got.endsWith("\n")) socket.destroy();
      });
    });
    const pipe = await engine.input("c1")(new AbortController().signal);
    const closed = new Promise<void>((resolve) => pipe.onClose(resolve));
    pipe.write("h\u00e9llo ");
    pipe.write("there\n");
    await closed;
    expect(got).toBe("h\u00e9llo there\n");
    expect(asked).toEqual(["POST /containers/c1/attach?stream=1&stdin=1 tcp 0"]);
    close();
  });

  it("that the engine refuses is an error with its sentence", async () => {
    const { engine, close } = await engineAt((_, socket) => {
      const body = JSON.stringify({ message: "container c1 is not running" });
      socket.end(
        `HTTP/1.1 409 Conflict\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
      );
    });
    await expect(engine.input("c1")(new AbortController().signal)).rejects.toThrow(
      "The engine does not connect to the input of its container: container c1 is not running",
    );
    close();
  });
});

describe("an engine behind a proxy", () => {
  it.each([502, 503, 504])("that answers %i gets the request for a container again", async (status) => {
    const engine = dockerEngine({
      server: "https://engine.example:2376",
      call: () => Promise.resolve({ status, body: {}, message: "no answer", at: 0 }),
      follow: () => Promise.reject(new Error("no answer")),
      upgrade: () => Promise.reject(new Error("no answer")),
    });
    await expect(engine.createContainer("br-1", {} as never)).rejects.toMatchObject({ passing: true });
  });
});

describe("an engine that does not say which limit a container met", () => {
  /** Answers as podman 4.3 and Docker 20.10 do. */
  const engineWith = (component: string, events: string) => {
    const asked: string[] = [];
    const engine = dockerEngine({
      server: "unix:///run/test.sock",
      call: (_, path) => {
        asked.push(path);
        return Promise.resolve({
          status: 200,
          body: { Components: [{ Name: component }] },
          message: "",
          at: 0,
        });
      },
      follow: (path) => {
        asked.push(path);
        return Promise.resolve(Readable.from(events === "" ? [] : [Buffer.from(events)]) as never);
      },
      upgrade: () => Promise.reject(new Error("no answer")),
    });
    return { engine, asked };
  };
  const State = {
    Status: "exited",
    Running: false,
    ExitCode: 137,
    StartedAt: "2026-11-23T08:39:41.664447844Z",
  };
  const container = { Id: "c1", Name: "br-1", State };
  const kill = '{"status":"kill","id":"c1","Type":"container","Action":"kill"}\n';

  it.each([
    ["podman, whom nobody asked to kill it", "Podman Engine", "", true],
    ["podman, asked by somebody", "Podman Engine", kill, false],
    ["Docker, which knows of its memory limit", "Engine", "", false],
  ])("has it killed by the kernel: %s", async (_, component, events, byKernel) => {
    const { engine, asked } = engineWith(component, events);
    expect(await engine.wasKilledByKernel(container)).toBe(byKernel);
    if (component === "Engine") return;
    const { searchParams } = new URL(`http://engine${asked.at(-1)}`);
    expect(searchParams.get("since")).toBe(State.StartedAt);
    expect(JSON.parse(searchParams.get("filters") ?? "")).toEqual({
      container: ["c1"],
      event: ["kill", "stop", "restart", "remove"],
    });
  });
});
