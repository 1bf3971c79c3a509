import type { UseCaseContext } from "../access/unit-of-work.ts";
import type { ServiceId } from "../model/shared/ids.ts";

/** Ends the lease of a service: its runs are unsupervised from then on. */
export const endLease =
  ({ transactor }: UseCaseContext) =>
  (id: ServiceId) =>
    transactor.transact((stores) => stores.services.remove(id));
