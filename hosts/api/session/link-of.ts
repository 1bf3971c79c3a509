import type { ServiceStatus } from "../endpoint/service-status.ts";

/** Builds a link. The code is in the URL's fragment, which browsers send to no server and no log. */
export const linkOf = (
  service: ServiceStatus,
  { code, expiresAt }: { readonly code: string; readonly expiresAt: string },
) => ({
  url: `${service.address()}/#code=${code}`,
  expiresAt,
});
