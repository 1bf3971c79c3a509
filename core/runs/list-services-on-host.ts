import type { Transactor } from "../../ports/transactor.ts";

/** Lists the services of this machine, whose processes are visible from here. */
export const listServicesOnHost = (transactor: Transactor) => (host: string) =>
  transactor.transact((stores) => stores.services.onHost(host));
