import { expect, it } from "vitest";
import { clientOf } from "../../hosts/http/client-of.ts";

it.each([
  ["127.0.0.1", null],
  ["127.8.9.10", null],
  ["::ffff:127.0.0.1", null],
  ["::1", null],
  ["203.0.113.9", "203.0.113.9"],
  ["::ffff:203.0.113.9", "203.0.113.9"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2"],
  ["2001:db8:1:2::6", "2001:db8:1:2"],
  ["2001:db8::6", "2001:db8:0:0"],
  ["::2", "0:0:0:0"],
  ["fe80::1%eth0", "fe80:0:0:0"],
])("the connections of %s count for %s", (address, client) => {
  expect(clientOf(address)).toBe(client);
});
