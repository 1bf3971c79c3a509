import type { Stores } from "../../ports/transactor.ts";

/** The stores of a transaction with some of them replaced. Each is made when it is used, so that no copy has all. */
export const replaceStores = (stores: Stores, replaced: Partial<Stores>): Stores =>
  Object.create(stores, Object.getOwnPropertyDescriptors(replaced)) as Stores;
