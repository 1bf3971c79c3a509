import type { Transactor } from "../../ports/transactor.ts";
import type { ServiceId } from "../shared/ids.ts";

/** Ends the lease of a service: nobody supervises its runs any more. */
export const endLease = (transactor: Transactor) => (id: ServiceId) =>
  transactor.transact((stores) => stores.services.remove(id));
