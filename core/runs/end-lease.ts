import type { Transactor } from "../../ports/transactor.ts";
import type { ServiceId } from "../model/shared/ids.ts";

/** Ends the lease of a service: its runs are unsupervised from then on. */
export const endLease = (transactor: Transactor) => (id: ServiceId) =>
  transactor.transact((stores) => stores.services.remove(id));
