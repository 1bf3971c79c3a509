import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { createServer, connect as dial, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ServiceProgram, serveProgram } from "./service-program.ts";

/** A machine for a service: its own network, mounts, processes and host name, as far as the kernel separates them. */
export interface Host {
  readonly name: string;
  /** Starts a worker on it. */
  start(env?: Readonly<Record<string, string>>): Promise<ServiceProgram>;
  /** Ends everything that runs there, at once. Its disk stays. */
  crash(): Promise<void>;
  /** Unplugs its network, or plugs it in again. */
  connected(isConnected: boolean): void;
}

export interface Hosts {
  /** A folder that all hosts see. */
  readonly folder: string;
  /** `sharing`: mounts the workspaces and homes of a folder that several hosts share. */
  add(name: string, sharing?: string): Promise<Host>;
  close(): Promise<void>;
}

/** Why this machine cannot pretend to be several; null where it can. */
export const cannotSeparateHosts = (): string | null => {
  const name = `brh-probe-${process.pid}`;
  try {
    execFileSync("ip", ["netns", "add", name], { stdio: "ignore" });
  } catch {
    return "This user or machine cannot make network namespaces (ip netns add).";
  }
  try {
    execFileSync("unshare", ["-mupf", "--kill-child", "--mount-proc", "mount", "-t", "tmpfs", "x", "/mnt"], {
      stdio: "ignore",
    });
    return null;
  } catch {
    return "This user or machine cannot make mount and process namespaces (unshare).";
  } finally {
    execFileSync("ip", ["netns", "delete", name], { stdio: "ignore" });
  }
};

let serial = 0;

/** All hosts reach the database and nothing else, each through a cable of its own. */
export const openHosts = async (databaseUrl: string): Promise<Hosts> => {
  const folder = await mkdtemp(join(tmpdir(), "hosts-"));
  const hosts: Host[] = [];
  const closers: (() => Promise<void>)[] = [];
  return {
    folder,
    add: async (name, sharing) => {
      const { host, close } = await openHost({ folder, databaseUrl, name, sharing: sharing ?? null });
      hosts.push(host);
      closers.push(close);
      return host;
    },
    close: async () => {
      await Promise.all(closers.map((close) => close()));
      await rm(folder, { recursive: true, force: true });
    },
  };
};

interface HostOptions {
  readonly folder: string;
  readonly databaseUrl: string;
  readonly name: string;
  readonly sharing: string | null;
}

const openHost = async ({ folder, databaseUrl, name, sharing }: HostOptions) => {
  const n = process.pid * 100 + ++serial;
  const space = `brh${n.toString(36)}-${name}`;
  // The other end of its cable is in a namespace too: browsers drop connections when the machine's interfaces change.
  const wall = `${space}-wall`;
  const ip = (...args: string[]) => execFileSync("ip", args, { stdio: "pipe" });
  for (const each of [space, wall]) {
    ip("netns", "add", each);
    ip("-n", each, "link", "set", "lo", "up");
  }
  ip("-n", wall, "link", "add", "cable", "type", "veth", "peer", "name", "eth0", "netns", space);
  ip("-n", wall, "addr", "add", "10.200.0.1/24", "dev", "cable");
  ip("-n", wall, "link", "set", "cable", "up");
  ip("-n", space, "addr", "add", "10.200.0.2/24", "dev", "eth0");
  ip("-n", space, "link", "set", "eth0", "up");

  const target = new URL(databaseUrl);
  const socket = join(folder, `database-of-${name}`);
  const relay = await openRelay(socket, target.hostname, Number(target.port || 5432));
  const relayOfWall = await openRelayIn(wall, "10.200.0.1", socket);
  target.hostname = "10.200.0.1";
  target.port = String(relayOfWall.port);

  // Every host has its disk at the same place, and sees no other.
  const disk = join(folder, "disk");
  const own = join(folder, `disk-of-${name}`);
  for (const path of [disk, own]) await mkdir(path, { recursive: true });
  const shared = ["workspaces", "homes"];
  if (sharing !== null)
    for (const each of shared) {
      await mkdir(join(sharing, each), { recursive: true });
      await mkdir(join(own, "data", each), { recursive: true });
    }
  const script = [
    "set -e",
    `hostname ${name}`,
    `mount --bind ${own} ${disk}`,
    ...(sharing === null
      ? []
      : shared.map((each) => `mount --bind ${join(sharing, each)} ${join(disk, "data", each)}`)),
    'exec "$@"',
  ].join("\n");

  let program: ServiceProgram | null = null;
  const host: Host = {
    name,
    start: async (env = {}) => {
      program = await serveProgram(
        join(disk, "data"),
        {
          DATABASE_URL: target.href,
          SERVICE_SECRETS_MASTER_KEY: "00".repeat(32),
          SERVICE_LOG_LEVEL: "error",
          ...env,
        },
        ["--role", "worker"],
        {
          through: [
            "nsenter",
            `--net=/run/netns/${space}`,
            "unshare",
            ...["--mount", "--uts", "--pid", "--fork", "--kill-child", "--mount-proc"],
            ...["sh", "-c", script, "sh"],
          ],
        },
      );
      return program;
    },
    crash: async () => {
      await program?.stop("SIGKILL");
      program = null;
    },
    connected: (isConnected) => {
      ip("-n", wall, "link", "set", "cable", isConnected ? "up" : "down");
    },
  };
  const close = async () => {
    await host.crash();
    await relayOfWall.close();
    await relay.close();
    for (const each of [space, wall]) ip("netns", "delete", each);
  };
  return { host, close };
};

interface Relay {
  close(): Promise<void>;
}

/** Passes connections on to the database, which listens on the loopback only. */
const openRelay = async (path: string, host: string, port: number): Promise<Relay> => {
  const sockets = new Set<Socket>();
  const keep = (socket: Socket, other: () => Socket) => {
    sockets.add(socket);
    socket.on("error", () => other().destroy());
    socket.on("close", () => {
      sockets.delete(socket);
      other().destroy();
    });
  };
  const server: Server = createServer((near) => {
    const far = dial(port, host);
    keep(near, () => far);
    keep(far, () => near);
    near.pipe(far).pipe(near);
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  return {
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};

const relayProgram = `
const { connect, createServer } = require("node:net");
const [address, path] = process.argv.slice(1);
const server = createServer((near) => {
  const far = connect(path);
  for (const [one, other] of [[near, far], [far, near]]) {
    one.on("error", () => other.destroy());
    one.on("close", () => other.destroy());
  }
  near.pipe(far).pipe(near);
});
server.listen(0, address, () => console.log(server.address().port));
`;

/** Passes connections from a namespace on to a socket in the file system, which all namespaces see. */
const openRelayIn = async (space: string, address: string, path: string) => {
  const child = spawn("ip", ["netns", "exec", space, process.execPath, "-e", relayProgram, address, path], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [port] = (await once(child.stdout, "data")) as [Buffer];
  return {
    port: Number(port.toString()),
    close: async () => {
      const ended = once(child, "exit");
      child.kill("SIGKILL");
      await ended;
    },
  };
};
