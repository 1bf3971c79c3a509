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
const savedColumns = mealColumns.without("guest_id");
const renamedColumns = columnsOf(`
  guest_id as guest,
  drinks
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

  it("are read of a table under an alias, and under the names of the fields", async () => {
    const { sql } = storage;
    const [row] = await sql<{ text: string }[]>`
      select  row_to_json(shown)::text as text
      from    (
                select  ${mealColumns.without("courses").asFields(sql, "m")}
                from    meals m
                join    (select 2 as guest_id) other on true
                where   ${mealColumns.without("courses, drinks, guest_note")(sql, "m")} = 1
              ) as shown
    `;
    expect(JSON.parse(row!.text)).toEqual({ guestId: 1, drinks: [], guestNote: "late" });
  });

  it("store a field of another name", async () => {
    const { sql } = storage;
    const saved = { guest: 1, drinks: ["water"] };
    await sql`update meals set ${renamedColumns.assign(sql, saved)}`;
    expect(await sql`select ${renamedColumns(sql, "meals")} from meals`).toEqual([saved]);
  });
});
