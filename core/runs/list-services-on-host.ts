import type { UseCaseContext } from "../access/unit-of-work.ts";

/** Lists the services of this machine, whose processes are visible from here. */
export const listServicesOnHost =
  ({ transactor }: UseCaseContext) =>
  (host: string) =>
    transactor.transact((stores) => stores.services.onHost(host));
