import { judgedAddress } from "../../kit/judged-address.ts";
import { hostName } from "./configuration.ts";

/** The address must not be called. The message says why. */
export class AddressRefused extends Error {}

export interface CheckedAddress {
  readonly address: string;
  readonly family: 4 | 6;
}

/**
 * Returns the address that may be called.
 * @throws AddressRefused, or the error of the lookup
 */
export const checkedAddress = async (
  url: URL,
  allowPrivateHosts: ReadonlySet<string>,
): Promise<CheckedAddress> => {
  const host = hostName(url.hostname);
  const judged = await judgedAddress(host, allowPrivateHosts.has(host));
  if (!("refused" in judged)) return judged;
  switch (judged.refused) {
    case "never":
      throw new AddressRefused(`${judged.named} is never called: it may hand out the machine's credentials.`);
    case "private":
      throw new AddressRefused(
        `${judged.named} is in a private network or on this machine. To allow it, add "${host}" to adapterConfig.allowPrivateHosts.`,
      );
    case "none":
      throw new AddressRefused(`${host} has no address.`);
  }
};
