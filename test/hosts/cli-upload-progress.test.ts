import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pc from "picocolors";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cli } from "../../hosts/cli/cli.ts";

const size = 12 * 1024 * 1024;
const companyId = "0192f000-0000-7000-8000-000000000001";
const id = "0192f000-0000-7000-8000-000000000002";

let slow: Server;
let scratch: string;
let path: string;
let received = 0;

/** A slow service: it reads some megabytes a second. It refuses a logo at the end. */
beforeAll(async () => {
  slow = createServer((request, response) => {
    if (request.method === "GET") {
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ id, companyId }));
      return;
    }
    received = 0;
    request.on("data", (chunk: Buffer) => {
      received += chunk.byteLength;
      request.pause();
      setTimeout(() => request.resume(), 12);
    });
    request.on("end", () => {
      const refused = request.url?.endsWith("/logo");
      response.writeHead(refused ? 422 : 201, { "content-type": "application/json" });
      response.end(
        JSON.stringify(refused ? { code: "logo_type_unsupported", error: "A logo is an image." } : { id }),
      );
    });
  });
  await new Promise<void>((resolve) => slow.listen(0, "127.0.0.1", resolve));
  scratch = await mkdtemp(join(tmpdir(), "boardroom-progress-"));
  path = join(scratch, "big.bin");
  await writeFile(path, Buffer.alloc(size, "x"));
});
afterAll(async () => {
  slow?.closeAllConnections();
  slow?.close();
  await rm(scratch, { recursive: true, force: true });
});

const boardroom = async (repaints: boolean, ...args: string[]) => {
  let [out, err] = ["", ""];
  const exitCode = await cli(args, {
    out: (text) => {
      out += text;
    },
    err: (text) => {
      err += text;
    },
    stdin: async () => "",
    env: {
      SERVICE_API_URL: `http://127.0.0.1:${(slow.address() as AddressInfo).port}`,
      SERVICE_API_KEY: "brd_x",
      SERVICE_COMPANY_ID: companyId,
    },
    width: repaints ? 100 : null,
    repaints,
    colors: pc.createColors(false),
    now: () => new Date(),
  });
  return { exitCode, out, err };
};

describe("The upload of a large file", () => {
  it("shows its progress on a terminal, on a line that disappears at the end", async () => {
    const { exitCode, err } = await boardroom(true, "attachments", "add", "ABC-1", "--file", path);
    expect(exitCode).toBe(0);
    const painted = [...err.matchAll(/\r(\d+\.\d) MiB of 12\.0 MiB/g)].map(([, sent]) => Number(sent));
    expect(painted.length).toBeGreaterThan(1);
    expect(painted).toEqual([...painted].sort((a, b) => a - b));
    expect(painted.at(-1)).toBeLessThanOrEqual(12);
    expect(err.endsWith("\r\u001b[K")).toBe(true);
    // Multipart adds a frame; the file is complete.
    expect(received).toBeGreaterThan(size);
  });

  it("clears the line before a refusal", async () => {
    const { exitCode, err } = await boardroom(true, "assets", "add-logo", "--file", path);
    expect(exitCode).toBe(1);
    expect(err).toMatch(/MiB of 12\.0 MiB\r\u001b\[K[^\r]*A logo is an image\./);
  });

  it.each([
    ["into a pipe", false, []],
    ["with --json", true, ["--json"]],
    ["with --quiet", true, ["--quiet"]],
  ] as const)("is silent %s", async (_, repaints, more) => {
    const { exitCode, err, out } = await boardroom(
      repaints,
      "attachments",
      "add",
      "ABC-1",
      "--file",
      path,
      ...more,
    );
    expect([exitCode, err]).toEqual([0, ""]);
    if (more[0] === "--quiet") expect(out).toBe(`${id}\n`);
  });
});
