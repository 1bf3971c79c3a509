import { lookup } from "node:dns/promises";
import { BlockList, isIP } from "node:net";
import { HostUnusable } from "../../ports/code-stores.ts";

const list = (...subnets: readonly (readonly [string, number])[]): BlockList => {
  const blocked = new BlockList();
  for (const [net, bits] of subnets) blocked.addSubnet(net, bits, net.includes(":") ? "ipv6" : "ipv4");
  return blocked;
};

/** Where clouds serve a machine's credentials, other link-local addresses, and forms that hide an address. */
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

/** The same answers as the http adapter's guard gives, which is a package of its own: a test compares them. */
export const kindOfAddress = (address: string): "public" | "private" | "never" => {
  const family = isIP(address);
  if (family === 0) return "never";
  if (family === 6 && /^(?:0*:)*:?(?:0*:)*(?:ffff:|\d+\.)/i.test(address)) return "never";
  const type = family === 6 ? "ipv6" : "ipv4";
  if (never.check(address, type)) return "never";
  return own.check(address, type) ? "private" : "public";
};

/**
 * Resolves the host of a URL once, so that git calls exactly the address that was judged. A single forbidden address
 * counts as an attack.
 * @throws HostUnusable
 */
export const checkedAddress = async (url: URL, allowPrivate: boolean): Promise<string> => {
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const found = await lookup(host, { all: true }).catch(() => []);
  for (const { address } of found) {
    const named = host === address ? host : `${host} (${address})`;
    const kind = kindOfAddress(address);
    if (kind === "never")
      throw new HostUnusable(
        "address_refused",
        `${named} is never called: it may hand out the machine's credentials.`,
      );
    if (kind === "private" && !allowPrivate)
      throw new HostUnusable(
        "address_refused",
        `${named} is in a private network or on this machine. To allow it, set allowPrivateHost.`,
      );
  }
  const [first] = found;
  if (first === undefined)
    throw new HostUnusable("unreachable", `${host} has no address that this machine finds.`);
  return first.address;
};
