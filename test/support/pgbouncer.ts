import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventually } from "./eventually.ts";
import { freePort } from "./free-port.ts";

/** PgBouncer in front of a PostgreSQL server. */
export interface PgBouncer {
  readonly port: number;
  stop(): Promise<void>;
}

const program = "pgbouncer";
const path = `${process.env.PATH}:/usr/sbin`;

/** The user has the same name and password as on the server. */
export const startPgBouncer = async (
  serverPort: number,
  user: { readonly name: string; readonly password: string },
  settings: Readonly<Record<string, string>>,
): Promise<PgBouncer> => {
  const folder = await mkdtemp(join(tmpdir(), "pgbouncer-"));
  const port = await freePort();
  const all = {
    listen_addr: "127.0.0.1",
    listen_port: `${port}`,
    unix_socket_dir: "",
    auth_type: "plain",
    auth_file: join(folder, "users"),
    ...settings,
  };
  await writeFile(join(folder, "users"), `"${user.name}" "${user.password}"\n`, { mode: 0o644 });
  const lines = Object.entries(all).map(([name, value]) => `${name}=${value}\n`);
  const file = join(folder, "pgbouncer.ini");
  await writeFile(
    file,
    `[databases]\n* = host=127.0.0.1 port=${serverPort}\n[pgbouncer]\n${lines.join("")}`,
    { mode: 0o644 },
  );
  // It refuses to run as root.
  const owner = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  await chmod(folder, 0o755);
  const child = spawn(program, ["-q", file], { env: { PATH: path }, stdio: "ignore", ...owner });
  const answers = () =>
    new Promise<boolean>((resolve) => {
      const socket = connect(port, "127.0.0.1", () => {
        socket.destroy();
        resolve(true);
      });
      socket.once("error", () => resolve(false));
    });
  await eventually(answers, (isUp) => isUp);
  return {
    port,
    stop: async () => {
      const ended = child.exitCode === null ? once(child, "exit") : null;
      child.kill("SIGKILL");
      await ended;
      await rm(folder, { recursive: true });
    },
  };
};
