import { BlockList, isIPv4 } from "node:net";

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8, "ipv4");
loopback.addAddress("::1", "ipv6");

/**
 * Names the client of an address where its connections are counted: an address, or the /64 network of an IPv6 address,
 * because one machine usually has all of it. null: loopback, which proxies and agents of this machine share.
 */
export const clientOf = (address: string): string | null => {
  const plain = address.replace(/^::ffff:(?=[\d.]+$)/i, "");
  if (isIPv4(plain)) return loopback.check(plain, "ipv4") ? null : plain;
  if (loopback.check(plain, "ipv6")) return null;
  const [before = "", after] = plain.split("::");
  const groups = before === "" ? [] : before.split(":");
  const rest = after === undefined || after === "" ? [] : after.split(":");
  const zeros = after === undefined ? 0 : 8 - groups.length - rest.length;
  return [...groups, ...Array<string>(Math.max(0, zeros)).fill("0"), ...rest].slice(0, 4).join(":");
};
