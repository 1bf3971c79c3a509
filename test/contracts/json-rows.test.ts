import type { Sql } from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  fromJsonRow,
  fromJsonText,
  type JsonRow,
  type Plain,
  withInstants,
} from "../../adapters-infra/postgres/json-rows.ts";
import type { Instant } from "../../core/model/shared/instant.ts";
import { openTestStorage, type TestStorage } from "../support/builders.ts";

let storage: TestStorage;

beforeAll(async () => {
  storage = await openTestStorage();
});
afterAll(() => storage.close());

interface Meal {
  /** A text of a person, in the form in which PostgreSQL writes an instant. */
  readonly note: string;
  readonly supper: Instant;
  readonly guest: { readonly name: string; readonly born: Instant | null };
  readonly courses: readonly { readonly served: Instant }[];
}

const instants = { supper: true, guest: { born: true }, courses: { served: true } } as const;

const written = "2026-11-21T05:06:13.1+00:00";
const meal: Meal = {
  note: written,
  supper: "2026-11-21T05:06:13.100Z",
  guest: { name: written, born: "1990-01-02T00:00:00.000Z" },
  courses: [{ served: "2026-11-21T05:06:13.000Z" }, { served: "2026-11-21T05:06:14.120Z" }],
};

const row = (sql: Sql) => sql`
  jsonb_build_object(
    'note', ${written}::text, 'supper', timestamptz '2026-11-21 05:06:13.1+00',
    'guest', jsonb_build_object('name', ${written}::text, 'born', timestamptz '1990-01-02 00:00:00+00'),
    'courses', jsonb_build_array(
      jsonb_build_object('served', timestamptz '2026-11-21 05:06:13+00'),
      jsonb_build_object('served', timestamptz '2026-11-21 05:06:14.12+00')
    )
  )
`;

describe("Instants in SQL-made JSON", () => {
  it("are read by the type of their field, whatever its name", async () => {
    const { sql } = storage;
    const [read] = await sql<
      { row: JsonRow; text: string }[]
    >`select ${row(sql)} as row, ${row(sql)}::json as text`;
    expect(fromJsonRow<Meal>(instants)(read!.row)).toEqual(meal);
    expect(fromJsonText<Meal>(instants)(read!.text)).toEqual(meal);
  });

  it("are written into the text of a row by their name and type", async () => {
    const { sql } = storage;
    const [read] = await sql<
      { text: string }[]
    >`select row_to_json(shown) as text from (select ${row(sql)} as meal) as shown`;
    expect(JSON.parse(withInstants<{ meal: Meal }>({ meal: instants })(read!.text))).toEqual({ meal });
  });

  it("do not compile when a field is forgotten", () => {
    // @ts-expect-error supper
    fromJsonRow<Meal>({ guest: { born: true }, courses: { served: true } });
    // @ts-expect-error born, of the guest
    fromJsonText<Meal>({ supper: true, guest: {}, courses: { served: true } });
    // @ts-expect-error served, of each course
    withInstants<Meal>({ supper: true, guest: { born: true } });
    // @ts-expect-error The note is any text.
    fromJsonRow<Meal>({ ...instants, note: true });
    // @ts-expect-error JSON with instants cannot be taken as it is.
    const unread: Plain<Meal> = meal;
    expect(unread).toBe(meal);
  });
});
