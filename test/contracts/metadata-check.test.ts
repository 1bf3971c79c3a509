import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { refusesForwarded } from "../../adapters-infra/docker/forward-rules.ts";
import { routedMetadata } from "../../adapters-infra/runner-helper/metadata-routes.ts";
import { metadataSubnets } from "../../plugins/kit/judged-address.ts";

const all = metadataSubnets.map(([net, bits]) => `${net}/${bits}`);
const v4 = all.filter((subnet) => !subnet.includes(":"));
const v6 = all.filter((subnet) => subnet.includes(":"));

/** Runs a script in a network of its own, which has no way out. */
const inNetwork = (script: string) =>
  execFileSync("unshare", ["--net", "sh", "-ec", `ip link set lo up; ${script}`], { encoding: "utf8" });

const isRoot = process.getuid?.() === 0;

describe("What docs/runners.md says to declare", () => {
  const docs = readFileSync(new URL("../../docs/runners.md", import.meta.url), "utf8");

  it("excludes the metadata addresses from every range that the policy for pods allows", () => {
    const [, text = ""] = /```yaml\n([^`]*kind: NetworkPolicy[^`]*)```/.exec(docs) ?? [];
    const { spec } = parse(text) as { spec: { egress: { to: { ipBlock?: IpBlock }[] }[] } };
    const ranges = spec.egress.flatMap(({ to }) => to.flatMap(({ ipBlock }) => ipBlock ?? []));
    const wide = ranges.filter(({ cidr }) => !/\/(?:32|128)$/.test(cidr));
    expect(wide).toEqual([
      { cidr: "0.0.0.0/0", except: v4 },
      { cidr: "::/0", except: v6 },
    ]);
  });

  it("refuses them to containers by the rules for Docker", () => {
    const refused = [...docs.matchAll(/tables -I DOCKER-USER -i agents -d (\S+) -j REJECT/g)].map(
      ([, addresses = ""]) => addresses.split(","),
    );
    expect(refused.flat().map((one) => (one.includes("/") ? one : `${one}/32`))).toEqual(all);
  });
});
interface IpBlock {
  readonly cidr: string;
  readonly except?: readonly string[];
}

describe.skipIf(!isRoot)("The metadata addresses to which a program has a route", () => {
  const link = "ip link add out type bridge; ip link set out up";
  const v4Out = `${link}; ip addr add 10.9.0.2/24 dev out`;
  it.each<[string, string, readonly string[]]>([
    ["none without a route", "true", []],
    ["none with a route to its own network alone", v4Out, []],
    ["all of IPv4 by a default route", `${v4Out}; ip route add default via 10.9.0.1`, v4],
    [
      "all of IPv4 by routes to both halves",
      `${v4Out}; ip route add 0.0.0.0/1 dev out; ip route add 128.0.0.0/1 dev out`,
      v4,
    ],
    [
      "what a route of its own does not refuse",
      `${v4Out}; ip route add default via 10.9.0.1; ip route add unreachable 169.254.0.0/16; ip route add blackhole 100.100.100.200`,
      ["168.63.129.16/32"],
    ],
    [
      "a part that is routed inside of a part that is refused",
      `${v4Out}; ip route add unreachable 169.254.0.0/16; ip route add 169.254.169.254 dev out`,
      ["169.254.0.0/16"],
    ],
    ["an address on a device of its own", "ip addr add 100.100.100.200/32 dev lo", ["100.100.100.200/32"]],
    [
      "those of IPv6 by its default route",
      `${link}; ip -6 addr add fd77::2/64 dev out nodad; ip -6 route add default dev out`,
      v6,
    ],
    [
      "one of IPv6",
      `${link}; ip -6 addr add fd77::2/64 dev out nodad; ip -6 route add fd00:ec2::254 dev out`,
      ["fd00:ec2::/32"],
    ],
  ])("are %s", (_, network, expected) => {
    const script = `${routedMetadata}; console.log(JSON.stringify(routedMetadata()))`;
    const printed = inNetwork(
      `${network}; exec '${process.execPath}' -e '${script.replaceAll("'", `'\\''`)}'`,
    );
    expect(JSON.parse(printed)).toEqual(expected);
  });
});

describe.skipIf(!isRoot)("The rules of an engine's machine", () => {
  const dockers = "iptables -N DOCKER-USER; iptables -A FORWARD -j DOCKER-USER";
  const podmans =
    "iptables -N CNI-FORWARD; iptables -N CNI-ADMIN; iptables -A FORWARD -j CNI-FORWARD; iptables -A CNI-FORWARD -m comment --comment 'CNI firewall plugin admin overrides' -j CNI-ADMIN";
  const list = v4.join(",");
  const bridges =
    "for each in agents other; do ip link add $each type bridge; ip link set $each up; done; ip addr add 10.9.0.1/24 dev agents; ip addr add 10.8.0.1/24 dev other";
  const refused = `iptables -A DOCKER-USER -i agents -d ${list} -j REJECT`;

  const asked = (script: string, addresses = ["10.9.0.2"], subnets: readonly string[] = v4) => {
    const printed = inNetwork(
      `{ ${bridges}; ${script}; } >&2; cat /proc/net/route; echo ===; iptables -S; echo ===; ip6tables -S`,
    );
    const [routes = "", ipv4 = "", ipv6 = ""] = printed.split("===\n");
    return refusesForwarded(
      { routes: async () => routes, rules: async (program) => (program === "iptables" ? ipv4 : ipv6) },
      addresses,
      subnets,
    );
  };

  it.each<[string, string]>([
    ["by Docker's chain, for the bridge", `${dockers}; ${refused}`],
    ["by Docker's chain, for all bridges", `${dockers}; iptables -A DOCKER-USER -d ${list} -j DROP`],
    ["by podman's chain", `${podmans}; iptables -A CNI-ADMIN -d ${list} -j REJECT`],
    [
      "by a wider rule",
      `${dockers}; iptables -A DOCKER-USER -i agents -m comment --comment 'nothing at all' -j DROP`,
    ],
    ["for devices of that beginning", `${dockers}; iptables -A DOCKER-USER -i age+ -d ${list} -j DROP`],
    [
      "after rules of established connections, of other bridges and of logs",
      `${dockers}; iptables -A DOCKER-USER -m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT; iptables -A DOCKER-USER -i other -j ACCEPT; iptables -A DOCKER-USER -j LOG; ${refused}`,
    ],
    [
      "in one chain while the other returns",
      `${dockers}; ${podmans}; iptables -A DOCKER-USER -j RETURN; iptables -A CNI-ADMIN -d ${list} -j DROP`,
    ],
  ])("refuse them %s", async (_, script) => {
    expect(await asked(script)).toBe(true);
  });

  it.each<[string, string]>([
    ["there is none", dockers],
    ["it is for another bridge", `${dockers}; iptables -A DOCKER-USER -i other -d ${list} -j REJECT`],
    [
      "it is for every bridge but this",
      `${dockers}; iptables -A DOCKER-USER ! -i agents -d ${list} -j REJECT`,
    ],
    ["it is for all other addresses", `${dockers}; iptables -A DOCKER-USER ! -d 169.254.0.0/16 -j REJECT`],
    ["it names one address of them", `${dockers}; iptables -A DOCKER-USER -d 169.254.169.254 -j REJECT`],
    ["it names one cloud of them", `${dockers}; iptables -A DOCKER-USER -d 169.254.0.0/16 -j REJECT`],
    ["it is for one protocol", `${dockers}; iptables -A DOCKER-USER -p tcp -d ${list} -j REJECT`],
    ["it is for some containers", `${dockers}; iptables -A DOCKER-USER -s 10.9.0.7 -d ${list} -j REJECT`],
    [
      "another comes first and accepts",
      `${dockers}; iptables -A DOCKER-USER -i agents -j ACCEPT; ${refused}`,
    ],
    ["another comes first and returns", `${dockers}; iptables -A DOCKER-USER -j RETURN; ${refused}`],
    [
      "another chain accepts some of it",
      `${dockers}; ${podmans}; ${refused}; iptables -A CNI-ADMIN -p tcp -j ACCEPT`,
    ],
  ])("do not refuse them where %s", async (_, script) => {
    expect(await asked(script)).toBe(false);
  });

  it("say nothing of containers elsewhere, without an engine's chain, or where they cannot be read", async () => {
    expect(await asked(`${dockers}; ${refused}`, ["10.7.0.2"])).toBeNull();
    expect(await asked(`${dockers}; ${refused}`, [])).toBeNull();
    expect(await asked("true")).toBeNull();
    expect(await asked(`iptables -N DOCKER-USER; ${refused}`)).toBeNull();
    const unreadable = { routes: async () => "", rules: () => Promise.reject(new Error("EPERM")) };
    expect(await refusesForwarded(unreadable, ["10.9.0.2"], v4)).toBeNull();
  });

  it("are judged for both families, and for each bridge", async () => {
    const closed6 = `${dockers.replaceAll("iptables", "ip6tables")}; ip6tables -A DOCKER-USER -d ${v6.join(",")} -j REJECT`;
    expect(await asked(`${dockers}; ${refused}; ${closed6}`, ["10.9.0.2"], all)).toBe(true);
    expect(
      await asked(
        `${dockers}; ${refused}; ${dockers.replaceAll("iptables", "ip6tables")}`,
        ["10.9.0.2"],
        all,
      ),
    ).toBe(false);
    expect(await asked(`${dockers}; ${refused}`, ["10.9.0.2", "10.8.0.2"])).toBe(false);
  });
});
