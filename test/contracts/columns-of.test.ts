import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { columnsOf } from "../../adapters-infra/postgres/columns-of.ts";
import { openTestStorage, type TestStorage } from "../support/builders.ts";

let storage: TestStorage;

beforeAll(async () => {
  storage = await openTestStorage();
  await storage.sql`create table meals (guest_id int, courses jsonb, drinks text[], guest_note text)`;
});
afterAll(() => storage.close());

const mealColumns = columnsOf("guest_id, courses jsonb, drinks, guest_note");
const savedColumns = columnsOf(`
  courses jsonb, drinks,
  guest_note
`);

describe("The columns of a record", () => {
  it("store the fields of their names, lists of jsonb as JSON, and nothing else of it", async () => {
    const { sql } = storage;
    const meal = {
      guestId: 1,
      courses: ["soup", { of: "fish" }],
      drinks: ["tea"],
      guestNote: null,
      bill: 12,
    };
    await sql`insert into meals ${mealColumns.values(sql, meal)}`;
    const { bill: _, ...stored } = meal;
    expect(await sql`select ${mealColumns(sql)} from meals`).toEqual([stored]);
  });

  it("are all assigned by an update, which leaves the others", async () => {
    const { sql } = storage;
    const saved = { guestId: 2, courses: null, drinks: [], guestNote: "late" };
    await sql`update meals set ${savedColumns.assign(sql, saved)} where guest_id = 1`;
    expect(await sql`select ${mealColumns(sql)} from meals`).toEqual([{ ...saved, guestId: 1 }]);
  });
});
