import { describe, expect, it } from "vitest";
import { postgresStores } from "../../adapters-infra/postgres/stores/index.ts";
import type { Statements } from "../../adapters-infra/postgres/transaction.ts";
import { actAs, unitOf } from "../../core/access/unit-of-work.ts";
import { bySystem } from "../../core/model/access/caller.ts";
import type { Instant } from "../../core/model/shared/instant.ts";
import { type Stores, storeNames } from "../../ports/transactor.ts";
import { newId } from "../support/builders.ts";
import { replaceStores } from "../support/replace-stores.ts";

const person = { kind: "board", userId: newId() } as never;

/** Its clock advances with each read. */
const aUnit = (stores: Stores = postgresStores({} as Statements)) => {
  let reads = 0;
  const now = () => `2026-01-01T00:00:0${reads++}.000Z` as Instant;
  return unitOf({ clock: { now }, ids: { newId } }, stores, bySystem);
};

describe("A unit of work", () => {
  it.each(storeNames)("has the store %s of its transaction, which is made once", (name) => {
    const stores = postgresStores({} as Statements);
    const unit = aUnit(stores);
    expect(unit[name]).toBeDefined();
    expect(unit[name]).toBe(stores[name]);
    expect(actAs(unit, person)[name]).toBe(stores[name]);
  });

  it("has the time of its first use, for another actor too", () => {
    const unit = aUnit();
    const { at } = actAs(unit, person);
    expect([unit.at, unit.at, unit.by, actAs(unit, person).by]).toEqual([at, at, bySystem, person]);
  });

  it("has a store that a test replaces", () => {
    const issues = {} as Stores["issues"];
    const stores = postgresStores({} as Statements);
    const unit = aUnit(replaceStores(stores, { issues }));
    expect(unit.issues).toBe(issues);
    expect(unit.agents).toBe(stores.agents);
  });
});
