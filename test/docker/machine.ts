import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { through } from "./engine.ts";

/** A machine for an engine: a network of its own, with servers on it, and no way out of it. */
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
for (const port of process.argv.slice(1))
  require("node:http").createServer((_, answer) => answer.end("{}")).listen(Number(port), "0.0.0.0", () => console.log("up"));
`;

let serial = 0;

export const openMachine = async (): Promise<Machine> => {
  serial += 1;
  const network = `bre${process.pid}-${serial}`;
  // Interfaces of the test's own machine stay as they are: browsers drop connections when they change.
  const ip = (...args: readonly string[]) => execFileSync("ip", args, { stdio: "pipe" });
  ip("netns", "add", network);
  ip("-n", network, "link", "set", "lo", "up");
  const child = await serve(network, servicePort, otherPort);
  return {
    network,
    run: (command, ...args) => {
      const [program = "", ...rest] = through(network, command, args);
      return execFileSync(program, rest, { stdio: "pipe" }).toString();
    },
    close: async () => {
      const ended = once(child, "exit");
      child.kill("SIGKILL");
      await ended;
      ip("netns", "delete", network);
    },
  };
};

const serve = async (network: string, ...ports: readonly number[]): Promise<ChildProcess> => {
  const args = ["-e", server, ...ports.map(String)];
  const [program = "", ...rest] = through(network, process.execPath, args);
  const child = spawn(program, rest, { stdio: ["ignore", "pipe", "inherit"] });
  await once(child.stdout, "data");
  return child;
};
