import type { Id } from "../core/model/shared/ids.ts";

/** Creates UUID v7 ids: later ones sort after earlier ones. */
export interface Ids {
  newId<Noun extends string>(): Id<Noun>;
}
