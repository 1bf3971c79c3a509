import type { Id } from "../core/shared/ids.ts";

/** New ids, UUID v7: later ones sort after earlier ones. */
export interface Ids {
  next<Noun extends string>(): Id<Noun>;
}
