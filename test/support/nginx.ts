import { type ChildProcess, execFileSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import { join } from "node:path";
import { eventually } from "./eventually.ts";

/** Debian's nginx; null: the tests behind it are skipped, which the set-up of the suite says. */
export const findNginx = (): string | null => {
  const path = "/usr/sbin/nginx";
  return existsSync(path) ? path : null;
};

/** The name of the service in docs/operations.md. */
export const publicName = "boardroom.example.org";

/** The blocks of docs/operations.md that configure nginx: the server, and the services of several. */
export const shownBlocks = (): {
  readonly server: string;
  readonly upstream: string;
  readonly script: string;
} => {
  const page = readFileSync(new URL("../../docs/operations.md", import.meta.url), "utf8");
  const [server = "", upstream = ""] = [...page.matchAll(/```nginx\n([\s\S]*?)```/g)].map(
    ([, text]) => text!,
  );
  const scripts = [...page.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, text]) => text!);
  return { server, upstream, script: scripts.find((text) => text.includes("nginx -s reload")) ?? "" };
};

/** Makes a key and a certificate of the public name in the folder, and gives the server's block that uses them. */
export const withCertificate = (server: string, folder: string, port: number): string => {
  const [key, certificate] = [join(folder, "boardroom.key"), join(folder, "boardroom.pem")];
  const made = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", `/CN=${publicName}`];
  if (!existsSync(key))
    execFileSync("openssl", [...made, "-keyout", key, "-out", certificate], { stdio: "ignore" });
  return server
    .replace("listen 443 ssl", `listen 127.0.0.1:${port} ssl`)
    .replace("/etc/ssl/certs/boardroom.pem", certificate)
    .replace("/etc/ssl/private/boardroom.key", key);
};

/** Where nginx keeps bodies, for its `http` block. */
export const temporaryPaths = (folder: string): string =>
  ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((kind) => `${kind}_temp_path ${join(folder, kind)};`)
    .join(" ");

export interface Sent {
  readonly headers?: Record<string, string>;
  readonly body?: string | Buffer;
}

/** Sends a request to the public name on a connection of its own, as a browser or a program does. */
export const openThrough = (
  port: number,
  token: string,
  method: string,
  path: string,
  { headers = {}, body }: Sent = {},
): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const sent = request(
      {
        host: "127.0.0.1",
        port,
        servername: publicName,
        method,
        path,
        rejectUnauthorized: false,
        agent: false,
        headers: { host: publicName, authorization: `Bearer ${token}`, ...headers },
      },
      resolve,
    );
    sent.on("error", reject);
    sent.end(body);
  });

export const callThrough = async (...asked: Parameters<typeof openThrough>) => {
  const answer = await openThrough(...asked);
  let text = "";
  for await (const chunk of answer) text += String(chunk);
  return { status: answer.statusCode, headers: answer.headers, text };
};

/** Waits until the proxy answers; one that has ended never will. */
export const untilProxyAnswers = (
  proxy: ChildProcess,
  call: () => Promise<{ readonly status: number | undefined }>,
): Promise<unknown> =>
  Promise.race([
    once(proxy, "exit").then(() => Promise.reject(new Error("nginx has ended; it has printed the reason"))),
    eventually(
      () =>
        call().then(
          ({ status }) => status,
          ({ message }: Error) => message,
        ),
      (seen) => seen === 200,
    ),
  ]);
