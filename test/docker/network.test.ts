import * as Effect from "effect/Effect";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { refusesForwarded } from "../../adapters-infra/docker/forward-rules.ts";
import { checkEngine, type RefusesSubnets } from "../../adapters-infra/runner-helper/check-engine.ts";
import { metadataSubnets } from "../../plugins/kit/judged-address.ts";
import { network } from "../attacks/attempts/network.ts";
import { carryOut } from "../attacks/carry-out.ts";
import { supervise } from "../contracts/remote-runner.ts";
import { ask, engineKinds, isInstalled, runnerOn, startEngine, type TestEngine } from "./engine.ts";
import { type Machine, openMachine, otherPort, servicePort } from "./machine.ts";
import { runOn, workspaces } from "./remote.ts";

// `npm run test:docker`: what containers reach on networks of an engine, on a machine of its own.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

const messages = {
  kind: "container",
  closeMetadata: "",
  listMetadata: "",
  closeNeighbours: "",
  openService: "",
} as const;
const metadata = metadataSubnets
  .map(([net, bits]) => `${net}/${bits}`)
  .filter((subnet) => !subnet.includes(":"));

/** Where the operator's rules for containers go, before the engine's own. */
const chains = { dockerd: "DOCKER-USER", podman: "CNI-ADMIN" } as const;

/** Bridges have the names of their networks. */
const networks = {
  plain: { subnet: "10.202.1.0/24", gateway: "10.202.1.1", options: {} },
  agents: {
    subnet: "10.202.2.0/24",
    gateway: "10.202.2.1",
    // podman has no such option, and ignores it.
    options: { "com.docker.network.bridge.enable_icc": "false" },
  },
  other: { subnet: "10.202.3.0/24", gateway: "10.202.3.1", options: {} },
} as const;
type Network = keyof typeof networks;

describe.each(engineKinds.filter(isInstalled))("containers of %s on a network of the engine", (kind) => {
  let machine: Machine;
  let engine: TestEngine | undefined;
  const runner = (network: Network) => runnerOn(engine!, { network });
  beforeAll(async () => {
    machine = await openMachine();
    engine = await startEngine(kind, { network: machine.network });
    for (const [name, { subnet, gateway, options }] of Object.entries(networks)) {
      const made = ask(engine.socket, "POST", "/networks/create", {
        Name: name,
        Driver: "bridge",
        IPAM: { Driver: "default", Config: [{ Subnet: subnet, Gateway: gateway }] },
        Options: { "com.docker.network.bridge.name": name, ...options },
      });
      expect(JSON.parse(made)).toHaveProperty("Id");
    }
    // The rules of docs/runners.md.
    const rule = (...args: readonly string[]) => machine.run("iptables", ...args);
    if (kind === "podman") {
      rule("-N", chains.podman);
      rule("-I", chains.podman, "-i", "agents", "-o", "agents", "-j", "REJECT");
    }
    rule("-I", chains[kind], "-i", "agents", "-d", metadata.join(","), "-j", "REJECT");
    rule("-I", "INPUT", "-i", "agents", "-p", "tcp", "!", "--dport", String(servicePort), "-j", "REJECT");
  });
  afterAll(async () => {
    await engine?.close();
    await machine?.close();
  });

  const refuses: RefusesSubnets = (addresses, subnets) =>
    refusesForwarded(
      {
        routes: async () => machine.run("cat", "/proc/net/route"),
        rules: async (program) => machine.run(program, "-w", "-S"),
      },
      addresses,
      subnets,
    );
  const found = new Map<Network, Promise<readonly string[]>>();
  /** Asked once for each network. */
  const checked = (network: Network) => {
    const url = `http://${networks[network].gateway}:${servicePort}`;
    const codes =
      found.get(network) ??
      Effect.runPromise(checkEngine({ processes: runner(network), workspaces }, url, messages, refuses)).then(
        (checks) => checks.map(({ code }) => code),
      );
    found.set(network, codes);
    return codes;
  };
  const tries = `
    const reach = (url) => fetch(url, { signal: AbortSignal.timeout(5000) }).then(() => "open", () => "closed");
    (async () => { for (const url of process.argv.slice(1)) console.log(await reach(url)); })();
  `;
  const reached = async (network: Network, ...urls: readonly string[]) =>
    (await runOn(runner(network), { command: "node", args: ["-e", tries, ...urls] })).out().toString();

  carryOut(network, ["docker"], {
    metadata: async () => {
      expect(await checked("agents")).toContain("metadata_closed");
      expect(await checked("plain")).toContain("metadata_open");
      const runs = { processes: runner("plain"), workspaces };
      const elsewhere = await Effect.runPromise(checkEngine(runs, "http://10.202.1.1:1", messages));
      expect(elsewhere.map(({ code }) => code)).toContain("metadata_unchecked");
    },
    neighbours: async () => {
      expect(await checked("agents")).toContain("neighbours_closed");
      expect(await checked("plain")).toContain("neighbours_open");
    },
  });

  it("reach the service and write into their workspace, with the rules of the docs and without", async () => {
    for (const network of ["agents", "plain"] as const)
      expect(await checked(network)).toEqual([
        "container_ran",
        "service_reachable",
        expect.stringMatching(/^metadata_/),
        expect.stringMatching(/^neighbours_/),
        "workspace_writable",
        "git_found",
      ]);
  });

  it("reach only the service's port of the machine, with the rules of the docs, and any port without", async () => {
    const ports = ({ gateway }: (typeof networks)[Network]) =>
      [servicePort, otherPort].map((port) => `http://${gateway}:${port}/`);
    expect(await reached("agents", ...ports(networks.agents))).toBe("open\nclosed\n");
    expect(await reached("plain", ...ports(networks.plain))).toBe("open\nopen\n");
  });

  it("do not reach those of another network, whatever the rules", async () => {
    const stop = new AbortController();
    const listens = `
      require("node:http").createServer((_, answer) => answer.end()).listen(8080, () =>
        console.log(Object.values(require("node:os").networkInterfaces()).flat().find((each) => !each.internal).address));
    `;
    const one = await supervise(workspaces, { stop: stop.signal });
    const listening = runOn(runner("plain"), { command: "node", args: ["-e", listens] }, one);
    await expect.poll(() => one.out().toString(), { timeout: 60_000 }).toMatch(/^10\.202\.1\.\d+\n$/);
    const url = `http://${one.out().toString().trim()}:8080/`;
    expect(await reached("other", url)).toBe("closed\n");
    expect(await reached("plain", url)).toBe("open\n");
    stop.abort();
    await listening;
  });

  it("find no socket of an engine", async () => {
    const sockets = `for (const each of ["/var/run/docker.sock", "/run/docker.sock", "/run/podman/podman.sock", ${JSON.stringify(engine?.socket)}]) console.log(require("node:fs").existsSync(each))`;
    const { out } = await runOn(runner("agents"), { command: "node", args: ["-e", sockets] });
    expect(out().toString()).toBe("false\nfalse\nfalse\nfalse\n");
  });
});
