import { lookup } from "node:dns/promises";
import { kindOfAddress } from "../../kit/address-kind.ts";
import { hostName } from "./configuration.ts";

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
