import { BlockList, isIP, isIPv4 } from "node:net";
import type { HttpRequest } from "./listener.ts";

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8, "ipv4");
loopback.addAddress("::1", "ipv6");

const local = new BlockList();
for (const [network, prefix] of [
  ["127.0.0.0", 8],
  ["10.0.0.0", 8],
  ["172.16.0.0", 12],
  ["192.168.0.0", 16],
] as const)
  local.addSubnet(network, prefix, "ipv4");
local.addAddress("::1", "ipv6");
local.addSubnet("fc00::", 7, "ipv6");

const withoutMapping = (address: string): string => address.replace(/^::ffff:(?=[\d.]+$)/i, "");

/**
 * The address of the client of a request. Behind a proxy of this machine or network it is the last that X-Forwarded-For
 * names, which the proxy itself has added: the ones before it are the client's own words.
 */
export const addressOf = (
  request: Pick<HttpRequest, "headers" | "peerAddress">,
  isBehindProxy: boolean,
): string | null => {
  const peer = request.peerAddress();
  if (peer === null) return null;
  const plain = withoutMapping(peer);
  const forwarded = request.headers["x-forwarded-for"]?.split(",").at(-1)?.trim();
  if (!isBehindProxy || forwarded === undefined || isIP(forwarded) === 0) return plain;
  return local.check(plain, isIPv4(plain) ? "ipv4" : "ipv6") ? withoutMapping(forwarded) : plain;
};

/**
 * Names the client of an address where its connections are counted: an address, or the /64 network of an IPv6 address,
 * because one machine usually has all of it. null: loopback, which proxies and agents of this machine share.
 */
export const clientOf = (address: string): string | null => {
  const plain = withoutMapping(address);
  if (isIPv4(plain)) return loopback.check(plain, "ipv4") ? null : plain;
  if (loopback.check(plain, "ipv6")) return null;
  const [before = "", after] = plain.split("::");
  const groups = before === "" ? [] : before.split(":");
  const rest = after === undefined || after === "" ? [] : after.split(":");
  const zeros = after === undefined ? 0 : 8 - groups.length - rest.length;
  return [...groups, ...Array<string>(Math.max(0, zeros)).fill("0"), ...rest].slice(0, 4).join(":");
};
