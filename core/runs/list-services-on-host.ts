import type { Transactor } from "../../ports/transactor.ts";

/** Lists the services of this machine; their processes can be seen from here, and so their end. */
export const listServicesOnHost = (transactor: Transactor) => (host: string) =>
  transactor.transact((stores) => stores.services.onHost(host));
