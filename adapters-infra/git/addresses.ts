import { judgedAddress } from "../../plugins/kit/judged-address.ts";
import { HostUnusable } from "../../ports/code-stores.ts";

/**
 * Returns the address that git calls.
 * @throws HostUnusable
 */
export const checkedAddress = async (url: URL, allowPrivate: boolean): Promise<string> => {
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const judged = await judgedAddress(host, allowPrivate).catch(
    () => ({ refused: "none", named: host }) as const,
  );
  if (!("refused" in judged)) return judged.address;
  switch (judged.refused) {
    case "never":
      throw new HostUnusable(
        "address_refused",
        `${judged.named} is never called: it may hand out the machine's credentials.`,
      );
    case "private":
      throw new HostUnusable(
        "address_refused",
        `${judged.named} is in a private network or on this machine. To allow it, set allowPrivateHost.`,
      );
    case "none":
      throw new HostUnusable("unreachable", `${host} has no address that this machine finds.`);
  }
};
