import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { userClaims } from "../../adapters-infra/local/user-claims.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "claims-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const range = { first: 64_000, last: 64_003, gid: 64_000 };
/** The claims of an instance with that data directory, which exists. */
const claimsOf = (instance: string) => {
  const dataDir = join(folder, instance);
  mkdirSync(dataDir, { recursive: true });
  return userClaims(join(folder, "claims"), range, dataDir);
};

describe("the users of a machine", () => {
  it("go to one holder each, the preferred one first, and stay with it", async () => {
    expect(await claimsOf("one").take("acme", [64_001])).toBe(64_001);
    expect(await claimsOf("two").take("globex", [64_001, 64_002])).toBe(64_002);
    expect(await claimsOf("two").take("initech", [64_001])).toBe(64_003);
    for (const [holder, uid] of [
      ["acme", 64_001],
      ["globex", 64_002],
      ["initech", 64_003],
    ] as const)
      expect(await claimsOf("one").take(holder, [64_000])).toBe(uid);
  });

  it("are shared by services of one instance, whose holders have the same names", async () => {
    expect(await claimsOf("one").take("acme", [64_001])).toBe(64_001);
    expect(await claimsOf("its other data directory").take("acme", [64_002])).toBe(64_001);
  });

  it("go to different holders that take one at the same time", async () => {
    const claimed = await Promise.all(
      ["a", "b", "c", "d"].map((holder) => claimsOf(holder).take(holder, [64_000])),
    );
    expect(new Set(claimed).size).toBe(4);
    expect(claimed).not.toContain(null);
  });

  it("run out; then those whose data directory is gone are taken again, and no other", async () => {
    for (const holder of ["a", "b", "c", "d"]) await claimsOf(holder).take(holder, []);
    expect(await claimsOf("e").take("e", [64_000])).toBeNull();
    rmSync(join(folder, "b"), { recursive: true });
    expect(await claimsOf("e").take("e", [64_000])).toBe(64_002);
    expect(await claimsOf("f").take("f", [64_000])).toBeNull();
    expect(readdirSync(join(folder, "claims")).sort()).toEqual([
      ...["64000", "64001", "64002", "64003"],
      "lock",
    ]);
  });

  it("outside of the range are never taken, whatever is preferred", async () => {
    expect(await claimsOf("one").take("acme", [0, 1000, 65_534])).toBe(64_003);
  });
});
