import { lookup } from "node:dns/promises";
import { kindOfAddress } from "../../plugins/kit/address-kind.ts";
import { HostUnusable } from "../../ports/code-stores.ts";

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
