import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { through } from "./engine.ts";

/** A machine for an engine: a network of its own, with servers on it, and a cloud's metadata address behind its router. */
export interface Machine {
  /** The name of its network namespace. */
  readonly network: string;
  /** Runs a command on it. */
  readonly run: (command: string, ...args: readonly string[]) => string;
  readonly close: () => Promise<void>;
}

export const servicePort = 3100;
/** Of another server on the machine, such as a database. */
export const otherPort = 5432;

const server = `
const [host, ...ports] = process.argv.slice(1);
for (const port of ports)
  require("node:http").createServer((_, answer) => answer.end("{}")).listen(Number(port), host, () => console.log("up"));
`;

let serial = 0;

export const openMachine = async (): Promise<Machine> => {
  serial += 1;
  const network = `bre${process.pid}-${serial}`;
  // Interfaces of the test's own machine stay as they are: browsers drop connections when they change.
  const cloud = `${network}-cloud`;
  const ip = (...args: readonly string[]) => execFileSync("ip", args, { stdio: "pipe" });
  for (const each of [network, cloud]) {
    ip("netns", "add", each);
    ip("-n", each, "link", "set", "lo", "up");
  }
  ip("-n", cloud, "link", "add", "cable", "type", "veth", "peer", "name", "eth0", "netns", network);
  ip("-n", cloud, "addr", "add", "10.201.0.1/24", "dev", "cable");
  ip("-n", cloud, "addr", "add", "169.254.169.254/32", "dev", "lo");
  ip("-n", cloud, "link", "set", "cable", "up");
  ip("-n", network, "addr", "add", "10.201.0.2/24", "dev", "eth0");
  ip("-n", network, "link", "set", "eth0", "up");
  ip("-n", network, "route", "add", "default", "via", "10.201.0.1");
  const servers = await Promise.all([
    serve(network, "0.0.0.0", servicePort, otherPort),
    serve(cloud, "169.254.169.254", 80),
  ]);
  return {
    network,
    run: (command, ...args) => {
      const [program = "", ...rest] = through(network, command, args);
      return execFileSync(program, rest, { stdio: "pipe" }).toString();
    },
    close: async () => {
      for (const each of servers) {
        const ended = once(each, "exit");
        each.kill("SIGKILL");
        await ended;
      }
      for (const each of [network, cloud]) ip("netns", "delete", each);
    },
  };
};

const serve = async (network: string, host: string, ...ports: readonly number[]): Promise<ChildProcess> => {
  const args = ["-e", server, host, ...ports.map(String)];
  const [program = "", ...rest] = through(network, process.execPath, args);
  const child = spawn(program, rest, { stdio: ["ignore", "pipe", "inherit"] });
  await once(child.stdout, "data");
  return child;
};
