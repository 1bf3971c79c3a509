import { metadataSubnets } from "../../plugins/kit/judged-address.ts";

/** A subnet as the kernel lists it: all digits, without separators. */
const hexOf = (net: string): string =>
  net.includes(":")
    ? net
        .replace(/::$/, "")
        .split(":")
        .map((group) => group.padStart(4, "0"))
        .join("")
        .padEnd(32, "0")
    : net
        .split(".")
        .map((byte) => Number(byte).toString(16).padStart(2, "0"))
        .join("");

const subnets = metadataSubnets.map(([net, bits]) => ({ name: `${net}/${bits}`, hex: hexOf(net), bits }));

/**
 * A function of node that returns the metadata subnets to which a program's routing tables lead. It reads the tables and
 * sends nothing. Where they cannot be read, all subnets count as routed.
 */
export const routedMetadata = `
const routedMetadata = () => {
  const { readFileSync } = require("node:fs");
  const { endianness, networkInterfaces } = require("node:os");
  const { BlockList } = require("node:net");
  const binary = (hex) => [...hex].map((digit) => parseInt(digit, 16).toString(2).padStart(4, "0")).join("");
  const rejects = (flags, device) => (parseInt(flags, 16) & 0x200) !== 0 || device === "*";
  const inOrder = (hex) => (endianness() === "LE" ? hex.match(/../g).reverse().join("") : hex);
  const lines = (name) => readFileSync("/proc/net/" + name, "utf8").split("\\n").map((line) => line.trim().split(/\\s+/));
  const v4 = ([device, to, , flags, , , , mask]) => ({
    prefix: binary(inOrder(to)).slice(0, binary(mask).replaceAll("0", "").length),
    isRejected: rejects(flags, device),
  });
  const v6 = ([to, bits, , , , , , , flags, device]) => ({
    prefix: binary(to).slice(0, parseInt(bits, 16)),
    isRejected: rejects(flags, device),
  });
  const addresses = Object.values(networkInterfaces()).flat();
  const everywhere = [{ prefix: "", isRejected: false }];
  const tableV4 = () => {
    try { return lines("route").slice(1).filter((fields) => fields.length > 7).map(v4); } catch { return everywhere; }
  };
  const tableV6 = () => {
    const isUsed = addresses.some(({ family, internal, scopeid }) => family === "IPv6" && !internal && scopeid === 0);
    try {
      const table = lines("ipv6_route").filter((fields) => fields.length > 9).map(v6);
      return table.length === 0 && isUsed ? everywhere : table;
    } catch { return isUsed ? everywhere : []; }
  };
  const tables = { 8: tableV4(), 32: tableV6() };
  const isRouted = ({ name, hex, bits }) => {
    const own = new BlockList();
    const [net] = name.split("/");
    own.addSubnet(net, bits, hex.length === 8 ? "ipv4" : "ipv6");
    if (addresses.some(({ address, family }) => own.check(address, family.toLowerCase()))) return true;
    const subnet = binary(hex).slice(0, bits);
    const table = tables[hex.length];
    if (table.some(({ prefix, isRejected }) => !isRejected && prefix.startsWith(subnet))) return true;
    const around = table.filter(({ prefix }) => subnet.startsWith(prefix));
    const longest = Math.max(-1, ...around.map(({ prefix }) => prefix.length));
    return around.some(({ prefix, isRejected }) => prefix.length === longest && !isRejected);
  };
  return ${JSON.stringify(subnets)}.filter(isRouted).map(({ name }) => name);
};
`;
