import { lookup } from "node:dns/promises";
import { BlockList, isIP } from "node:net";
import { hostName } from "./configuration.ts";

const list = (...subnets: readonly (readonly [string, number])[]): BlockList => {
  const blocked = new BlockList();
  for (const [net, bits] of subnets) blocked.addSubnet(net, bits, net.includes(":") ? "ipv6" : "ipv4");
  return blocked;
};

/**
 * Link-local addresses, where clouds serve a machine's credentials; other such addresses; and forms that hide an
 * address.
 */
const never = list(
  ["169.254.0.0", 16],
  ["100.100.100.200", 32],
  ["168.63.129.16", 32],
  ["0.0.0.0", 8],
  ["224.0.0.0", 3],
  ["fe80::", 10],
  ["fd00:ec2::", 32],
  ["fd20:ce::", 32],
  ["ff00::", 8],
  ["64:ff9b::", 32],
  ["2002::", 16],
  ["2001::", 32],
);

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

export const kindOfAddress = (address: string): AddressKind => {
  const family = isIP(address);
  if (family === 0) return "never";
  // An IPv4 address in an IPv6 form; no name resolves to it.
  if (family === 6 && /^(?:0*:)*:?(?:0*:)*(?:ffff:|\d+\.)/i.test(address)) return "never";
  const type = family === 6 ? "ipv6" : "ipv4";
  if (never.check(address, type)) return "never";
  return own.check(address, type) ? "private" : "public";
};

/** The address must not be called. The message says why. */
export class AddressRefused extends Error {}

export interface CheckedAddress {
  readonly address: string;
  readonly family: 4 | 6;
}

/**
 * Resolves a host once and returns an address that may be called. All its addresses must be allowed: a single forbidden
 * one counts as an attack.
 * @throws AddressRefused, or the error of the lookup
 */
export const checkedAddress = async (
  url: URL,
  allowPrivateHosts: ReadonlySet<string>,
): Promise<CheckedAddress> => {
  const host = hostName(url.hostname);
  const found = await lookup(host, { all: true });
  for (const { address } of found) {
    const kind = kindOfAddress(address);
    if (kind === "never")
      throw new AddressRefused(
        `${host}${host === address ? "" : ` (${address})`} is never called: it may hand out the machine's credentials.`,
      );
    if (kind === "private" && !allowPrivateHosts.has(host))
      throw new AddressRefused(
        `${host}${host === address ? "" : ` (${address})`} is in a private network or on this machine. To allow it, add "${host}" to adapterConfig.allowPrivateHosts.`,
      );
  }
  const [first] = found;
  if (first === undefined) throw new AddressRefused(`${host} has no address.`);
  return { address: first.address, family: first.family === 6 ? 6 : 4 };
};
