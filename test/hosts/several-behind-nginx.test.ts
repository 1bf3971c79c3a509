import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFailed, test } from "vitest";
import { createDatabase, type TestDatabase } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { freePort } from "../support/free-port.ts";
import {
  callThrough,
  findNginx,
  publicName,
  shownBlocks,
  temporaryPaths,
  untilProxyAnswers,
  withCertificate,
} from "../support/nginx.ts";
import { type ServiceProgram, serveProgram } from "../support/service-program.ts";

const nginx = findNginx();
const shown = shownBlocks();
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe.skipIf(nginx === null)("two services behind nginx, configured as in docs/operations.md", () => {
  let database: TestDatabase;
  let folder: string;
  let proxy: ChildProcess;
  let port: number;
  let token: string;
  let ports: readonly number[];
  const services = new Map<number, ServiceProgram>();

  /** Replaces the ports and the file of the page, and no digits of another port. */
  const here = (text: string): string =>
    text
      .replace(/\b310([12])\b/g, (_, nth) => `${ports[nth - 1]}`)
      .replace("/etc/nginx/conf.d/boardroom.conf", join(folder, "boardroom.conf"));
  const serve = (at: number) =>
    serveProgram(
      join(folder, `${at}`),
      {
        DATABASE_URL: database.url,
        SERVICE_SECRETS_MASTER_KEY: "00".repeat(32),
        SERVICE_PUBLIC_URL: `https://${publicName}`,
        SERVICE_DRAIN_SEC: "3",
        PORT: `${at}`,
      },
      ["--role", "api"],
    );
  const call = (method: string, path: string, body?: object) =>
    callThrough(port, token, method, path, {
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      headers: { "content-type": "application/json" },
    });

  beforeAll(async () => {
    database = await createDatabase();
    folder = await mkdtemp(join(tmpdir(), "nginx-"));
    ports = [await freePort(), await freePort()];
    for (const at of ports) services.set(at, await serve(at));
    token = await services.get(ports[0]!)!.token();
    port = await freePort();
    const server = withCertificate(shown.server, folder, port);
    await writeFile(
      join(folder, "boardroom.conf"),
      here(shown.upstream + server.replace("http://127.0.0.1:3100", "http://boardroom")),
    );
    await writeFile(
      join(folder, "nginx.conf"),
      `${process.getuid?.() === 0 ? "user root;" : ""} daemon off; worker_processes 1;
       pid ${join(folder, "pid")}; error_log ${join(folder, "error.log")}; events {}
       http { access_log off; ${temporaryPaths(folder)} include ${join(folder, "boardroom.conf")}; }`,
    );
    // The page's script calls this nginx, and a manager of services that asks the test for a restart.
    await mkdir(join(folder, "bin"));
    const asked = join(folder, "asked");
    const programs = {
      nginx: `exec ${nginx} -e ${join(folder, "error.log")} -c ${join(folder, "nginx.conf")} "$@"`,
      systemctl: `echo "$2" > ${asked}; while [ -e ${asked} ]; do sleep 0.1; done`,
    };
    for (const [name, body] of Object.entries(programs))
      await writeFile(join(folder, "bin", name), `#!/bin/sh\n${body}\n`, { mode: 0o755 });
    proxy = spawn(join(folder, "bin", "nginx"), { stdio: "inherit" });
    await untilProxyAnswers(proxy, () => call("GET", "/api/health"));
  });
  afterAll(async () => {
    if (proxy !== undefined && proxy.exitCode === null) {
      proxy.kill("SIGTERM");
      await once(proxy, "close");
    }
    for (const service of services.values()) await service.stop();
    await database?.drop();
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  });

  test("a rolling restart by the page's commands fails no request", { timeout: 180_000 }, async () => {
    onTestFailed(async () => console.error(await readFile(join(folder, "error.log"), "utf8")));
    const { id: companyId } = JSON.parse((await call("POST", "/api/companies", { name: "Relay" })).text);
    const issues = `/api/companies/${companyId}/issues`;
    const before = [...services.values()].map(({ child }) => child.pid);

    let isOver = false;
    let sent = 0;
    const created: string[] = [];
    const failures: string[] = [];
    const callers = [1, 2, 3, 4].map(async () => {
      while (!isOver) {
        const title = `Title ${++sent}`;
        const answer = await call("POST", issues, { title }).catch((error: Error) => ({
          status: 0,
          text: error.message,
        }));
        if (answer.status === 201) created.push(title);
        else failures.push(`${answer.status} ${answer.text}`);
        await pause(20);
      }
    });
    const script = spawn("/bin/sh", ["-c", here(shown.script)], {
      env: { PATH: `${join(folder, "bin")}:${process.env.PATH}` },
      stdio: ["ignore", "ignore", "inherit"],
    });
    const ended = once(script, "close");
    const asked = join(folder, "asked");
    for (const at of ports) {
      await eventually(
        async () => existsSync(asked),
        (there) => there,
      );
      expect(await services.get(at)!.stop()).toBe(0);
      services.set(at, await serve(at));
      await rm(asked);
    }
    expect(await ended).toEqual([0, null]);
    isOver = true;
    await Promise.all(callers);

    expect(failures).toEqual([]);
    expect([...services.values()].map(({ child }) => child.pid)).not.toEqual(before);
    const { text } = await call("GET", `${issues}?limit=1000`);
    const titles: string[] = JSON.parse(text).map(({ title }: { title: string }) => title);
    expect(titles.sort()).toEqual(created.sort());
  });
});
