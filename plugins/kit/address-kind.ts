import { BlockList, isIP } from "node:net";

/** An address and the length of its prefix in bits. */
export type Subnet = readonly [net: string, bits: number];

const list = (...subnets: readonly Subnet[]): BlockList => {
  const blocked = new BlockList();
  for (const [net, bits] of subnets) blocked.addSubnet(net, bits, net.includes(":") ? "ipv6" : "ipv4");
  return blocked;
};

/** Where clouds serve credentials of a machine to every program on it. */
export const metadataSubnets: readonly Subnet[] = [
  ["169.254.0.0", 16],
  ["100.100.100.200", 32],
  ["168.63.129.16", 32],
  ["fd00:ec2::", 32],
  ["fd20:ce::", 32],
];

/** Those, other link-local addresses, and forms that hide an address. The firewall refuses them to programs of agents. */
export const neverSubnets: readonly Subnet[] = [
  ...metadataSubnets,
  ["0.0.0.0", 8],
  ["224.0.0.0", 3],
  ["fe80::", 10],
  ["ff00::", 8],
  ["64:ff9b::", 32],
  ["2002::", 16],
  ["2001::", 32],
];

const never = list(...neverSubnets);

const own = list(
  ["127.0.0.0", 8],
  ["10.0.0.0", 8],
  ["172.16.0.0", 12],
  ["192.168.0.0", 16],
  ["100.64.0.0", 10],
  ["192.0.0.0", 24],
  ["198.18.0.0", 15],
  ["::", 96],
  ["fc00::", 7],
  ["fec0::", 10],
);

export type AddressKind = "public" | "private" | "never";

/** Judges an address that a configuration leads the service to. */
export const kindOfAddress = (address: string): AddressKind => {
  const family = isIP(address);
  if (family === 0) return "never";
  // An IPv4 address in an IPv6 form; no name resolves to it.
  if (family === 6 && /^(?:0*:)*:?(?:0*:)*(?:ffff:|\d+\.)/i.test(address)) return "never";
  const type = family === 6 ? "ipv6" : "ipv4";
  if (never.check(address, type)) return "never";
  return own.check(address, type) ? "private" : "public";
};
