import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { BlockList } from "node:net";
import { promisify } from "node:util";
import { metadataSubnets } from "../../plugins/kit/judged-address.ts";

/** Routes and rules that the kernel of the engine's machine lists: no packet is sent to find them out. */
export interface MachineNetwork {
  /** `/proc/net/route`. */
  routes(): Promise<string>;
  /** The rules of the filter table, as `iptables -S` prints them. */
  rules(program: "iptables" | "ip6tables"): Promise<string>;
}

const execute = promisify(execFile);

export const thisMachine: MachineNetwork = {
  routes: () => readFile("/proc/net/route", "utf8"),
  rules: async (program) => (await execute(program, ["-w", "-S"])).stdout,
};

/** The chains for operators' rules, which precede the engine's own: Docker's, and that of podman with CNI. */
const operatorChains = ["DOCKER-USER", "CNI-ADMIN"] as const;

/** The commands that refuse the metadata addresses to containers. */
export const refusingCommands = (["iptables", "ip6tables"] as const).map((program) => {
  const subnets = metadataSubnets.filter(([net]) => net.includes(":") === (program === "ip6tables"));
  return `${program} -I DOCKER-USER -d ${subnets.map(([net, bits]) => `${net}/${bits}`).join(",")} -j REJECT`;
});

/**
 * Whether rules of this machine refuse each of the subnets to a container with those addresses on a bridge of this machine.
 * null: the rules cannot be read, or its network is not one of this machine.
 */
export const refusesForwarded = async (
  machine: MachineNetwork,
  addresses: readonly string[],
  subnets: readonly string[],
): Promise<boolean | null> => {
  try {
    const bridges = bridgesOf(await machine.routes(), addresses);
    if (bridges.length === 0) return null;
    for (const program of ["iptables", "ip6tables"] as const) {
      const theirs = subnets.filter((subnet) => subnet.includes(":") === (program === "ip6tables"));
      if (theirs.length === 0) continue;
      const rules = (await machine.rules(program)).split("\n").map((line) => line.trim());
      // An engine without either chain has its rules elsewhere.
      if (!operatorChains.some((chain) => isPassed(rules, chain))) return null;
      if (!theirs.every((subnet) => bridges.every((bridge) => isRefused(rules, subnet, bridge))))
        return false;
    }
    return true;
  } catch {
    return null;
  }
};

/** The devices through which the machine itself sends to the addresses, without a gateway. */
const bridgesOf = (routes: string, addresses: readonly string[]): readonly string[] =>
  routes
    .split("\n")
    .slice(1)
    .flatMap((line) => {
      const [device = "", to = "", gateway = "", , , , , mask = ""] = line.trim().split(/\s+/);
      const bits = [...mask].reduce(
        (sum, digit) => sum + [...parseInt(digit, 16).toString(2)].filter((bit) => bit === "1").length,
        0,
      );
      if (!/^0+$/.test(gateway) || bits === 0) return [];
      const subnet = new BlockList();
      subnet.addSubnet(dotted(to), bits);
      return addresses.some((address) => subnet.check(address)) ? [device] : [];
    });

/** An address that the kernel prints in the order of the machine's bytes; that of big-endian machines finds no bridge. */
const dotted = (hex: string): string =>
  (hex.match(/../g) ?? [])
    .reverse()
    .map((byte) => parseInt(byte, 16))
    .join(".");

const isPassed = (rules: readonly string[], chain: string) =>
  rules.some((rule) => rule.endsWith(` -j ${chain}`));

const isRefused = (rules: readonly string[], subnet: string, bridge: string): boolean => {
  const verdicts = operatorChains
    .filter((chain) => isPassed(rules, chain))
    .map((chain) =>
      verdictOf(
        rules.filter((rule) => rule.startsWith(`-A ${chain} `)),
        subnet,
        bridge,
      ),
    );
  return verdicts.includes("refused") && !verdicts.includes("unclear");
};

/** Targets after which the next rule decides. */
const passing = ["LOG", "NFLOG", "MARK", "CONNMARK"];

/** The first rule that concerns the subnet decides; "unclear" if it may let something through. */
const verdictOf = (
  rules: readonly string[],
  subnet: string,
  bridge: string,
): "refused" | "unclear" | "silent" => {
  for (const rule of rules) {
    const target = /(?: -j| -g) (\S+)/.exec(rule)?.[1];
    if (target === undefined || passing.includes(target)) continue;
    // A connection that no rule has let begin is none of these.
    if (/--(?:ct)?state (?:RELATED|ESTABLISHED)(?:,(?:RELATED|ESTABLISHED))*(?= )/.test(rule)) continue;
    const from = / -i (\S+)/.exec(rule)?.[1];
    if (from !== undefined && !rule.includes("! -i ") && !isDevice(from, bridge)) continue;
    const to = / -d (\S+)/.exec(rule)?.[1];
    if (to !== undefined && !rule.includes("! -d ") && !contains(to, subnet) && !contains(subnet, to))
      continue;
    if (target === "RETURN") return "silent";
    if (target !== "DROP" && target !== "REJECT") return "unclear";
    const conditions = rule
      .replace(/^-A \S+/, "")
      .replace(/(?: -j| -g) \S+(?: --reject-with \S+)?$/, "")
      .replace(/(?<!!) -[id] \S+/g, "")
      .replace(/ -m comment --comment (?:"[^"]*"|\S+)/, "");
    if (conditions.trim() === "" && (to === undefined || contains(to, subnet))) return "refused";
  }
  return "silent";
};

const isDevice = (named: string, device: string) =>
  named.endsWith("+") ? device.startsWith(named.slice(0, -1)) : named === device;

/** Whether the first has the whole second one in it. */
const contains = (outer: string, inner: string): boolean => {
  const [net = "", bits] = outer.split("/");
  const [first = "", innerBits] = inner.split("/");
  const family = net.includes(":") ? "ipv6" : "ipv4";
  const most = family === "ipv6" ? 128 : 32;
  const list = new BlockList();
  list.addSubnet(net, Number(bits ?? most), family);
  return Number(bits ?? most) <= Number(innerBits ?? most) && list.check(first, family);
};
