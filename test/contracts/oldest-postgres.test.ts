import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** By the release notes of PostgreSQL: what 15, the oldest version that docs/postgresql.md promises, does not have. */
const functionsSince = {
  16: `any_value array_sample array_shuffle date_add date_subtract erf erfc pg_input_error_info pg_input_is_valid
    pg_split_walfile_name random_normal system_user json_arrayagg json_objectagg json_array json_object`,
  17: `json_exists json_query json_scalar json_serialize json_table json_value to_bin to_oct to_regtypemod
    unicode_assigned uuid_extract_timestamp uuid_extract_version xmltext merge_action pg_basetype`,
  18: `array_reverse array_sort casefold crc32 crc32c gamma hashbytea hashbyteaextended lgamma
    pg_get_acl uuidv4 uuidv7`,
};

const laterFunctions = new RegExp(
  `\\b(?:${Object.values(functionsSince).join(" ").split(/\s+/).join("|")})\\(`,
  "g",
);

it("The schema and every statement call no function that the oldest PostgreSQL lacks", () => {
  const folder = join(root, "adapters-infra/postgres");
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
    /\.(sql|ts)$/.test(name),
  );
  expect(files.length).toBeGreaterThan(50);
  const calls = files.flatMap((name) =>
    [...readFileSync(join(folder, name), "utf8").matchAll(laterFunctions)].map(
      ([call]) => `${name}: ${call}`,
    ),
  );
  expect(calls).toEqual([]);
});
