import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";

/** The whole environment of git in a test. */
export const gitEnv = {
  PATH: process.env.PATH,
  HOME: "/nonexistent",
  LC_ALL: "C",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_TERMINAL_PROMPT: "0",
  GIT_AUTHOR_NAME: "a",
  GIT_AUTHOR_EMAIL: "a@x",
  GIT_COMMITTER_NAME: "a",
  GIT_COMMITTER_EMAIL: "a@x",
  GIT_CONFIG_COUNT: "2",
  GIT_CONFIG_KEY_0: "safe.directory",
  GIT_CONFIG_VALUE_0: "*",
  GIT_CONFIG_KEY_1: "init.defaultBranch",
  GIT_CONFIG_VALUE_1: "main",
};

/** Git of a person, in a folder of the test. Throws with what it printed. */
export const git = (
  cwd: string,
  args: readonly string[],
  { input, env = {} }: { input?: string | Buffer; env?: Record<string, string> } = {},
): string =>
  execFileSync("git", args, { cwd, input, env: { ...gitEnv, ...env }, stdio: "pipe", maxBuffer: 2 ** 28 })
    .toString()
    .trim();

/** Writes files (null: removes them) and commits them. */
export const commitFiles = (
  cwd: string,
  files: Readonly<Record<string, string | null>>,
  message = "m",
): string => {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(cwd, path)), { recursive: true });
    if (text === null) rmSync(join(cwd, path));
    else writeFileSync(join(cwd, path), text);
  }
  git(cwd, ["add", "-A"]);
  git(cwd, ["commit", "-qm", message]);
  return git(cwd, ["rev-parse", "HEAD"]);
};

/** A request that a host has received. */
export interface HostRequest {
  readonly path: string;
  readonly query: string;
  /** The password or token; null: none. */
  readonly credential: string | null;
}

const credentialIn = (header = ""): string | null => {
  const [kind = "", value = ""] = header.split(" ");
  if (/^bearer$/i.test(kind)) return value;
  if (/^basic$/i.test(kind)) return Buffer.from(value, "base64").toString().split(":").slice(1).join(":");
  return null;
};

/**
 * Starts a git host on loopback, with one repository `r.git` of a commit on `main`. Other paths misbehave:
 * `/redirect/<port>/…`, `/silent/…`, `/endless/…`, `/page/…` (no repository), `/error/…`, `/cut/<bytes>/…`.
 */
export const startGitHost = async (token: string | null = "t0ken-of-the-host") => {
  const folder = mkdtempSync(join(tmpdir(), "git-host-"));
  const bare = join(folder, "r.git");
  const work = join(folder, "work");
  mkdirSync(work);
  git(folder, ["init", "-q", "--bare", bare]);
  git(bare, ["config", "http.receivepack", "true"]);
  git(work, ["init", "-q", "."]);
  const first = commitFiles(work, { "a.txt": "one\n", "b.txt": "one\n" }, "one");
  git(work, ["push", "-q", bare, "main"]);
  const requests: HostRequest[] = [];
  const late: Promise<unknown>[] = [];
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://x");
    started.before?.(pathname);
    const released = started.hold?.(request.url ?? "/");
    if (released === undefined) return answer({ folder, token, requests }, request, response, request);
    const body = await buffer(request);
    late.push(
      released.then(() => answer({ folder, token, requests }, request, response, Readable.from([body]))),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const started = {
    /** Runs before each request is answered. */
    before: null as ((path: string) => void) | null,
    /** A request is received whole at once, and answered when this has ended, also where its sender has gone. */
    hold: null as ((url: string) => Promise<void> | undefined) | null,
    folder,
    bare,
    work,
    first,
    port,
    token,
    url: `http://127.0.0.1:${port}/r.git`,
    at: (path: string) => `http://127.0.0.1:${port}${path}`,
    requests,
    /** Resolves when all requests that were held are carried out. */
    idle: () => Promise.all(late),
    /** Commits on a branch of the host. */
    commit: (files: Readonly<Record<string, string>>, branch = "main") => {
      git(work, ["checkout", "-q", "-B", branch]);
      const commit = commitFiles(work, files);
      git(work, ["push", "-q", "-f", bare, branch]);
      return commit;
    },
    close: () => {
      server.closeAllConnections();
      server.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  return started;
};

export type GitHost = Awaited<ReturnType<typeof startGitHost>>;

interface Served {
  readonly folder: string;
  readonly token: string | null;
  readonly requests: HostRequest[];
}

const answer = (
  { folder, token, requests }: Served,
  request: IncomingMessage,
  response: ServerResponse,
  body: Readable,
): unknown => {
  const { pathname, search } = new URL(request.url ?? "/", "http://x");
  const credential = credentialIn(request.headers.authorization);
  requests.push({ path: pathname, query: search.slice(1), credential });
  const [, mode = "", detail = ""] = pathname.split("/");
  const say = (status: number, headers: Record<string, string> = {}, body = "") =>
    response.writeHead(status, headers).end(body);
  if (mode === "redirect")
    return say(302, {
      location: `http://127.0.0.1:${detail}/r.git${pathname.slice(pathname.indexOf("/info"))}${search}`,
    });
  if (mode === "silent") return;
  if (mode === "error") return say(500);
  if (mode === "page") return say(200, { "content-type": "text/html" }, "<p>Hello</p>");
  if (token !== null && credential !== token) return say(401, { "www-authenticate": 'Basic realm="git"' });
  if (mode === "endless") {
    response.writeHead(200, { "content-type": "application/x-git-upload-pack-advertisement" });
    response.write("001e# service=git-upload-pack\n0000");
    let n = 0;
    const more = () => {
      while (
        !response.destroyed &&
        response.write(
          `0040${(n++).toString(16).padStart(40, "0")} refs/heads/x${String(n).padStart(7, "0")}\n`,
        )
      );
    };
    response.on("drain", more);
    return more();
  }
  const cutAt = mode === "cut" ? Number(detail) : null;
  const path = cutAt === null ? pathname : pathname.replace(/^\/cut\/\d+/, "");
  const child = spawn("git", ["http-backend"], {
    env: {
      ...gitEnv,
      GIT_PROJECT_ROOT: folder,
      GIT_HTTP_EXPORT_ALL: "1",
      PATH_INFO: path,
      PATH_TRANSLATED: join(folder, path),
      QUERY_STRING: search.slice(1),
      REQUEST_METHOD: request.method,
      CONTENT_TYPE: request.headers["content-type"] ?? "",
      REMOTE_USER: "somebody",
      REMOTE_ADDR: "127.0.0.1",
      ...(request.headers["content-length"] ? { CONTENT_LENGTH: request.headers["content-length"] } : {}),
      ...(request.headers["content-encoding"]
        ? { HTTP_CONTENT_ENCODING: request.headers["content-encoding"] }
        : {}),
      ...(request.headers["git-protocol"] ? { GIT_PROTOCOL: String(request.headers["git-protocol"]) } : {}),
    },
    stdio: ["pipe", "pipe", "ignore"],
  });
  child.stdin.on("error", () => {});
  body.pipe(child.stdin);
  let start = Buffer.alloc(0);
  let begun = false;
  let sent = 0;
  child.stdout.on("data", (chunk: Buffer) => {
    let rest = chunk;
    if (!begun) {
      start = Buffer.concat([start, chunk]);
      const end = start.indexOf("\r\n\r\n");
      if (end < 0) return;
      begun = true;
      const headers: Record<string, string> = {};
      let status = 200;
      for (const line of start.toString("latin1", 0, end).split("\r\n")) {
        const [name = "", ...value] = line.split(":");
        if (name.toLowerCase() === "status") status = Number.parseInt(value.join(":"), 10);
        else headers[name] = value.join(":").trim();
      }
      response.writeHead(status, headers);
      rest = start.subarray(end + 4);
    }
    sent += rest.length;
    if (cutAt !== null && sent > cutAt) {
      child.kill();
      response.destroy();
      return;
    }
    response.write(rest);
  });
  if (body === request) response.on("close", () => child.kill());
  return once(child, "close").then(() => response.end());
};
