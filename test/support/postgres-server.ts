import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import postgres from "postgres";
import { locateBinaries } from "../../adapters-infra/postgres/embedded-binaries.ts";
import { eventually } from "./eventually.ts";
import { freePort } from "./free-port.ts";
import { memoryFolder } from "./memory-folder.ts";

/** A PostgreSQL server of the test alone, as operators configure it. */
export interface PostgresServer {
  readonly port: number;
  /** With the certificates, and the socket's folder. */
  readonly folder: string;
  /** A superuser over the socket, without a password. */
  readonly admin: postgres.Sql;
  stop(): Promise<void>;
}

/** The beginning of pg_hba.conf: the superuser logs in by the socket. */
const adminOnly = "local all postgres trust\n";

/** Root starts it as nobody: PostgreSQL refuses to run as root. */
const owner = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

export const startPostgres = async ({
  hba,
  settings = {},
  tls = false,
}: {
  readonly hba: string;
  readonly settings?: Readonly<Record<string, string>>;
  readonly tls?: boolean;
}): Promise<PostgresServer> => {
  const folder = mkdtempSync(join(memoryFolder(), "postgres-"));
  const native = locateBinaries()!;
  const env = { PATH: process.env.PATH, LD_LIBRARY_PATH: join(native, "lib") };
  const port = await freePort();
  const cluster = join(folder, "cluster");
  mkdirSync(cluster, { mode: 0o700 });
  if (owner.uid !== undefined) for (const each of [folder, cluster]) chownSync(each, owner.uid, owner.gid);
  chmodSync(folder, 0o755);
  const initdb = join(native, "bin/initdb");
  execFileSync(
    initdb,
    ["-D", cluster, "-U", "postgres", "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync"],
    { env, cwd: folder, stdio: "ignore", ...owner },
  );
  writeFileSync(join(cluster, "pg_hba.conf"), adminOnly + hba);
  if (tls) makeCertificates(folder);
  const all = {
    port: `${port}`,
    listen_addresses: "127.0.0.1",
    unix_socket_directories: folder,
    fsync: "off",
    ...(tls
      ? {
          ssl: "on",
          ssl_cert_file: "server.crt",
          ssl_key_file: "server.key",
          ssl_ca_file: join(folder, "ca.crt"),
        }
      : {}),
    ...settings,
  };
  const args = Object.entries(all).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const child: ChildProcess = spawn(join(native, "bin/postgres"), ["-D", cluster, ...args], {
    env,
    cwd: folder,
    stdio: "ignore",
    ...owner,
  });
  const admin = postgres({
    host: folder,
    port,
    path: join(folder, `.s.PGSQL.${port}`),
    user: "postgres",
    database: "postgres",
    onnotice: () => {},
    max: 2,
  });
  const stop = async () => {
    await admin.end({ timeout: 1 });
    const ended = child.exitCode === null ? once(child, "exit") : null;
    child.kill("SIGQUIT");
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  await eventually(
    () =>
      admin`select 1`.then(
        () => true,
        () => false,
      ),
    (isUp) => isUp,
  );
  return { port, folder, admin, stop };
};

/** An authority of the test, a certificate of the server for "localhost", and one of the user "client". */
const makeCertificates = (folder: string): void => {
  const openssl = (...args: readonly string[]) =>
    execFileSync("openssl", args, { cwd: folder, stdio: ["ignore", "ignore", "pipe"] });
  const authority = (name: string) =>
    openssl(
      ..."req -x509 -newkey rsa:2048 -nodes -days 2".split(" "),
      ...["-subj", `/CN=${name}`],
      ...["-keyout", `${name}.key`, "-out", `${name}.crt`],
    );
  const issue = (name: string, subject: string) => {
    openssl(
      ..."req -newkey rsa:2048 -nodes".split(" "),
      ...["-subj", `/CN=${subject}`],
      ...["-keyout", `${name}.key`, "-out", `${name}.csr`],
    );
    openssl(
      ..."x509 -req -days 2 -CA ca.crt -CAkey ca.key -CAcreateserial".split(" "),
      "-in",
      `${name}.csr`,
      "-out",
      `${name}.crt`,
    );
  };
  authority("ca");
  authority("other");
  issue("server", "localhost");
  issue("client", "client");
  for (const name of ["server.crt", "server.key"]) {
    execFileSync("cp", [join(folder, name), join(folder, "cluster", name)]);
    if (owner.uid !== undefined) chownSync(join(folder, "cluster", name), owner.uid, owner.gid);
    chmodSync(join(folder, "cluster", name), 0o600);
  }
};
