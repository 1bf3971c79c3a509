import { lookup } from "node:dns/promises";
import type { LookupFunction } from "node:net";
import { kindOfAddress } from "./address-kind.ts";

export { metadataSubnets, neverSubnets, type Subnet } from "./address-kind.ts";

export type JudgedAddress =
  | { readonly address: string; readonly family: 4 | 6 }
  | {
      /** It is never called; it is private, which is not allowed; the host has no address. */
      readonly refused: "never" | "private" | "none";
      /** The host, with the address that decided. */
      readonly named: string;
    };

/**
 * Resolves a host once, so that exactly the address that was judged is called. All its addresses must be allowed: a
 * single forbidden one counts as an attack.
 * @throws the error of the lookup
 */
export const judgedAddress = async (host: string, allowPrivate: boolean): Promise<JudgedAddress> => {
  const found = await lookup(host, { all: true });
  for (const { address } of found) {
    const named = host === address ? host : `${host} (${address})`;
    const kind = kindOfAddress(address);
    if (kind === "never") return { refused: "never", named };
    if (kind === "private" && !allowPrivate) return { refused: "private", named };
  }
  const [first] = found;
  return first === undefined
    ? { refused: "none", named: host }
    : { address: first.address, family: first.family === 6 ? 6 : 4 };
};

/** For `lookup` of a request: exactly the address that was judged is called, whatever the name resolves to by then. */
export const onlyAt =
  (address: { readonly address: string; readonly family: 4 | 6 }): LookupFunction =>
  (_host, { all }, done) =>
    all === true ? done(null, [address]) : done(null, address.address, address.family);
