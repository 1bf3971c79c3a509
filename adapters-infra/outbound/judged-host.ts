import { judgedAddress } from "../../plugins/kit/judged-address.ts";

/**
 * The address at which the host of a URL is called. Judged at each request and each redirect: a name may lead elsewhere by
 * then.
 */
export const addressOfHost = async (url: URL, privateHosts: ReadonlySet<string>) => {
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const address = await judgedAddress(host, privateHosts.has(host)).catch(
    () => ({ refused: "none", named: host }) as const,
  );
  if (!("refused" in address)) return address;
  throw new Error(
    {
      never: `${address.named} is never called: it may hand out the machine's credentials.`,
      private: `${address.named} is in a private network or on this machine. An instance admin allows it by SERVICE_OUTBOUND_PRIVATE_HOSTS.`,
      none: `${host} has no address that this machine finds.`,
    }[address.refused],
  );
};
